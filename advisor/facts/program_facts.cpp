// program.*: the program around the configuration, every field of ProgramContext.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "core/config/fields.h"
#include "core/config/key_scope.h"

namespace rnnadvisor::advisor {
namespace {

template <class Enum>
std::string spelled(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < Spellings<Enum>::values.size() ? std::string(Spellings<Enum>::values[index])
                                                : std::string("?");
}

// Fields that were not stated, but follow from others or show in a recording.
std::optional<bool> shown(std::string_view key, const Subject& subject, const ProfileIndex& index) {
  const bool no_grad = subject.get().program.no_grad == true;
  if (key == "needs_backward" && no_grad && framework_of(subject) == Framework::pytorch)
    return false;
  if (!subject.get().from_program()) return std::nullopt;
  const auto& signs = index.signs(subject.configuration);
  const auto negated = [](std::optional<bool> value) {
    return value ? std::optional(!*value) : std::nullopt;
  };
  if (key == "flat_weights") return negated(signs.weights_copied);
  if (key == "batch_first") return signs.input_reordered;
  if (key == "needs_backward") return signs.backward_follows;
  if (key == "per_step_calls") return signs.per_step_calls;
  return std::nullopt;
}

template <class Field>
void add_field(Catalogue& catalogue, const std::string& name, const std::string& description,
               std::optional<Field> ProgramContext::* member) {
  const auto read = [member](const Subject& subject) { return subject.get().program.*member; };
  if constexpr (std::is_enum_v<Field>) {
    define(
        catalogue, name, "", Provenance::configured, description,
        [read](const Subject& subject) -> std::optional<std::string> {
          const auto value = read(subject);
          return value ? std::optional(spelled(*value)) : std::nullopt;
        },
        spellings<Field>());
  } else if constexpr (std::is_same_v<Field, bool>) {
    const auto key = name.substr(std::string_view("program.").size());
    define(catalogue, name, "", Provenance::configured, description,
           [read, key](const Subject& subject, const ProfileIndex& index) {
             const auto value = read(subject);
             return value ? value : shown(key, subject, index);
           });
  } else {
    define(catalogue, name, "", Provenance::configured, description, read);
  }
}

std::optional<Version> version_in(const std::optional<std::string>& text) {
  return text ? parse_version(*text) : std::nullopt;
}

}  // namespace

void add_program_facts(Catalogue& catalogue) {
  visit_context_fields([&catalogue](std::string_view key, auto member, std::string_view meaning) {
    const auto name = "program." + std::string(key);
    const auto description = meaning_with_scope(key, meaning);
    if (key == "name") {
      define(
          catalogue, name, "", Provenance::configured, description,
          [](const Subject& subject) -> std::optional<std::string> {
            const auto framework = framework_of(subject);
            return framework ? std::optional(spelled(*framework)) : std::nullopt;
          },
          spellings<Framework>());
    } else if (key == "version") {
      define(catalogue, name, "", Provenance::configured, description, [](const Subject& subject) {
        const auto given = version_in(subject.get().program.version);
        return given ? given : parse_version(subject.profile->environment.framework_version);
      });
    } else if (key == "cudnn_version") {
      define(catalogue, name, "", Provenance::configured, description, [](const Subject& subject) {
        return version_in(subject.get().program.cudnn_version);
      });
    } else {
      add_field(catalogue, name, description, member);
    }
  });
  define(catalogue, "program.trains", "", Provenance::configured,
         "the configuration is for training, and nothing says that no backward pass follows",
         [](const Subject& subject, const ProfileIndex& index) {
           if (subject.get().config.mode != Mode::training) return false;
           // Ignored where the framework does not have the key, as its report says.
           const auto scope = std::ranges::find(key_scopes, "needs_backward", &KeyScope::key);
           const auto stated = scope->has(framework_of(subject).value_or(Framework::cudnn_api))
                                   ? subject.get().program.needs_backward
                                   : std::nullopt;
           return (stated ? stated : shown("needs_backward", subject, index)) != false;
         });
  define(catalogue, "program.wants_double_backward", "", Provenance::configured,
         "backward of backward is asked for: program.double_backward, false where it is not known",
         [](const Subject& subject) { return subject.get().program.double_backward == true; });
  define(catalogue, "program.cublas_workspace_confirmed", "", Provenance::configured,
         "CUBLAS_WORKSPACE_CONFIG is known to be set",
         [](const Subject& subject) { return subject.get().program.cublas_workspace_set == true; });
  define(catalogue, "program.framework_given", "", Provenance::configured,
         "a framework is named, by the user or by the capture",
         [](const Subject& subject) { return framework_of(subject).has_value(); });
  define(catalogue, "program.owns_descriptor", "", Provenance::configured,
         "the program fills the cuDNN descriptor itself: no framework is named, or cudnn_api",
         [](const Subject& subject) {
           const auto framework = framework_of(subject);
           return !framework || *framework == Framework::cudnn_api;
         });
}

}  // namespace rnnadvisor::advisor
