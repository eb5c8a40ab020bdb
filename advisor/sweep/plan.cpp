#include "advisor/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include "advisor/sweep/config_fields.h"
#include "advisor/sweep/reader.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

void assign(std::vector<SweepAssignment>& target, const SweepAssignment& assignment) {
  for (auto& present : target) {
    if (present.key == assignment.key) {
      present = assignment;
      return;
    }
  }
  target.push_back(assignment);
}

std::size_t saturating_product(std::size_t a, std::size_t b) {
  constexpr std::size_t most = std::size_t{1} << 40;
  return a > most / std::max<std::size_t>(b, 1) ? most : a * b;
}

class Expander {
 public:
  explicit Expander(std::size_t limit) : limit_(limit) {}

  tl::expected<SweepPlan, std::vector<Error>> expand(SweepDocument document) {
    SweepPlan plan;
    plan.title = std::move(document.title);
    build(document.blocks, plan);
    for (auto& [figure, patterns] : document.figures) {
      select_ids(patterns, plan, figure);
      plan.figures.push_back(std::move(figure));
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return plan;
  }

 private:
  void build(const std::vector<SweepBlock>& blocks, SweepPlan& plan) {
    for (const auto& block : blocks) {
      const std::size_t entries = std::max<std::size_t>(block.list.size(), 1);
      std::size_t points = 1;
      for (const auto& axis : block.axes) points = saturating_product(points, axis.values.size());
      const std::size_t total = saturating_product(points, entries);
      if (total > limit_ - std::min(limit_, plan.configurations.size())) {
        errors_.push_back(Error{ErrorCode::parse,
                                fmt::format("the sweep has more than {} configurations",
                                            format_count(static_cast<long long>(limit_))),
                                "shorten the lists or split the file",
                                block.where,
                                {}});
        return;
      }
      for (std::size_t entry = 0; entry < entries; ++entry) {
        for (std::size_t point = 0; point < points; ++point) {
          add(block, entry, point, plan);
          if (errors_.size() >= 20) return;
        }
      }
    }
  }

  void add(const SweepBlock& block, std::size_t entry, std::size_t point, SweepPlan& plan) {
    std::vector<SweepAssignment> values = block.base;
    std::vector<std::string> varied;
    if (!block.list.empty()) {
      for (const auto& assignment : block.list[entry]) {
        assign(values, assignment);
        if (assignment.key != "id") varied.push_back(assignment.key);
      }
    }
    std::vector<std::size_t> digits(block.axes.size());
    for (std::size_t i = block.axes.size(); i-- > 0;) {
      digits[i] = point % block.axes[i].values.size();
      point /= block.axes[i].values.size();
    }
    for (std::size_t i = 0; i < block.axes.size(); ++i) {
      assign(values, block.axes[i].values[digits[i]]);
      varied.push_back(block.axes[i].key);
    }
    ConfigInput input;
    input.position = block.where;
    if (!set(values, input)) return;
    // A tie may follow a key that is itself a default, so defaults are resolved before and after.
    resolve_defaults(input);
    std::vector<SweepAssignment> tied;
    for (const auto& tie : block.ties) {
      tied.push_back({tie.key, field_text(input, tie.source), tie.where});
    }
    if (!set(tied, input)) return;
    resolve_defaults(input);
    input.config.id = make_id(block, input, varied);
    plan.configurations.push_back(std::move(input));
  }

  bool set(const std::vector<SweepAssignment>& values, ConfigInput& input) {
    bool good = true;
    for (const auto& value : values) {
      auto result = set_field(input, value.key, value.text);
      if (result) continue;
      good = false;
      Error problem = std::move(result.error());
      problem.code = ErrorCode::parse;
      problem.where = value.where;
      // One wrong value stands in many points of a grid; it is one mistake.
      if (std::find(errors_.begin(), errors_.end(), problem) == errors_.end()) {
        errors_.push_back(std::move(problem));
      }
    }
    return good;
  }

  std::string make_id(const SweepBlock& block, const ConfigInput& input,
                      const std::vector<std::string>& varied) {
    if (!block.id_template.empty()) return fill_template(block, input);
    std::string id = input.config.id;
    const bool own = !id.empty();
    for (const auto& key : varied) {
      // An entry of a list that has a name is told apart by it; the grid still has to be.
      const bool axis =
          std::any_of(block.axes.begin(), block.axes.end(),
                      [&](const SweepAxis& candidate) { return candidate.key == key; });
      if (own && !axis) continue;
      id += fmt::format("{}{}={}", id.empty() ? "" : ",", key, field_text(input, key));
    }
    return id;
  }

  std::string fill_template(const SweepBlock& block, const ConfigInput& input) {
    const std::string& pattern = block.id_template;
    std::string id;
    for (std::size_t i = 0; i < pattern.size();) {
      if (pattern[i] != '{') {
        id += pattern[i++];
        continue;
      }
      const std::size_t end = pattern.find('}', i);
      const std::string key =
          end == std::string::npos ? std::string() : pattern.substr(i + 1, end - i - 1);
      if (end == std::string::npos || find_field(key) == nullptr) {
        Error problem{ErrorCode::parse,
                      fmt::format("'{{{}}}' in the id is no configuration key", key),
                      "close the brace and name a key, as in \"H{hidden_size}\"",
                      block.id_where,
                      {}};
        if (std::find(errors_.begin(), errors_.end(), problem) == errors_.end()) {
          errors_.push_back(std::move(problem));
        }
        return id;
      }
      id += field_text(input, key);
      i = end + 1;
    }
    return id;
  }

  void select_ids(const std::vector<std::pair<std::string, SourcePosition>>& patterns,
                  const SweepPlan& plan, Figure& figure) {
    std::set<std::string> seen;
    for (const auto& [pattern, where] : patterns) {
      bool any = false;
      const bool open = pattern.ends_with('*');
      const std::string_view stem(pattern.data(), pattern.size() - (open ? 1 : 0));
      for (const auto& input : plan.configurations) {
        const std::string& id = input.config.id;
        if (open ? !std::string_view(id).starts_with(stem) : id != stem) continue;
        any = true;
        if (seen.insert(id).second) figure.configuration_ids.push_back(id);
      }
      if (!any && errors_.empty()) {
        errors_.push_back(
            Error{ErrorCode::parse,
                  fmt::format("no configuration has the id '{}'", to_valid_utf8(pattern)),
                  "ids are made of the 'id' of a [[sweep]]; `--list` shows them",
                  where,
                  {}});
      }
    }
  }

  std::size_t limit_;
  std::vector<Error> errors_;
};

}  // namespace

tl::expected<SweepPlan, std::vector<Error>> expand_sweep(std::string_view text,
                                                         std::string_view file, std::size_t limit) {
  return read_sweep_document(text, file, limit).and_then([&](SweepDocument document) {
    return Expander(limit).expand(std::move(document));
  });
}

tl::expected<SweepPlan, std::vector<Error>> read_sweep_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return tl::unexpected(
        std::vector{Error{ErrorCode::not_found,
                          fmt::format("cannot open '{}'", path),
                          "give a sweep file, or sample:NAME (see `rnnadvisor samples list`)",
                          std::nullopt,
                          {}}});
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return expand_sweep(text.str(), path);
}

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const auto slash = text.find('/');
  const auto number = [](std::string_view digits, int& value) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return result.ec == std::errc() && result.ptr == digits.data() + digits.size();
  };
  if (slash == std::string_view::npos || !number(text.substr(0, slash), shard.index) ||
      !number(text.substr(slash + 1), shard.count) || shard.index < 1 ||
      shard.index > shard.count) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--shard: '{}' is no part of a whole", to_valid_utf8(text)),
                "write i/n with i from 1 to n, as in 2/8");
  }
  return shard;
}

SweepPlan take_shard(const SweepPlan& plan, const Shard& shard) {
  SweepPlan part;
  part.title = plan.title;
  part.figures = plan.figures;
  const auto step = static_cast<std::size_t>(shard.count);
  for (auto i = static_cast<std::size_t>(shard.index - 1); i < plan.configurations.size();
       i += step) {
    part.configurations.push_back(plan.configurations[i]);
  }
  return part;
}

}  // namespace rnnadvisor::advisor
