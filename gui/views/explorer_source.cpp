// Where the configuration in the explorer comes from, and what was changed of it by hand: what a
// link and the session keep.
#include <QLabel>
#include <algorithm>

#include "advisor/facts/framework_call.h"
#include "advisor/sweep/config_fields.h"
#include "core/config/fields.h"
#include "gui/views/explorer_view.h"

namespace rnnadvisor::gui {
namespace {

// What a place calls the configuration of the profile and the device; no field has these names.
constexpr QLatin1String configuration_key("configuration"), device_key("device");

}  // namespace

int ExplorerView::first_described() const {
  if (!document_) return -1;
  const auto& all = document_->profile().configurations;
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Configuration& c) { return c.described(); });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

void ExplorerView::set_document(DocumentPointer document) {
  const bool same = document && document_ && document->path() == document_->path();
  document_ = std::move(document);
  const int known = document_ ? static_cast<int>(document_->profile().configurations.size()) : 0;
  // What the user has set by hand stays, and so does what they look at when a file is read again.
  if (!edited_ && !(same && source_ >= 0 && source_ < known)) {
    if (const int first = first_described(); first >= 0) show_source(first);
  } else if (source_ >= known || !same) {
    source_ = -1;
  }
  if (rules_) changed();  // the profile may have measured it
  tell_source();
}

void ExplorerView::show_source(int configuration) {
  const auto& profile = document_->profile();
  const auto& chosen = profile.configurations[static_cast<std::size_t>(configuration)];
  show_configuration(advisor::input_of(chosen),
                     profile.devices[static_cast<std::size_t>(chosen.device)], {}, configuration);
}

void ExplorerView::tell_source() {
  const auto name = [this](int configuration) {
    const auto& all = document_->report().configurations;
    const QString of = to_qt(all[static_cast<std::size_t>(configuration)].name);
    return all.size() > 1 ? tr("%1 of %2").arg(of, document_->name()) : document_->name();
  };
  QString text;
  if (source_ >= 0) {
    text = (edited_ ? tr("Changed from %1") : tr("From %1")).arg(name(source_).toHtmlEscaped());
  } else {
    text = edited_ ? tr("Set by hand") : tr("An example, of no profile");
  }
  const int other = source_ >= 0 ? source_ : first_described();
  if (edited_ && other >= 0)
    text += QStringLiteral(" · <a href=\"profile\" style=\"color:%2\">%1</a>")
                .arg(source_ >= 0 ? tr("as it was")
                                  : tr("take that of %1").arg(name(other).toHtmlEscaped()),
                     theme_.accent.name());
  source_text_->setText(text);
}

ExplorerChanges ExplorerView::changes() const {
  ExplorerChanges changes;
  if (!edited_ && (source_ < 0 || of_change_)) return changes;
  const int first = first_described();
  if (source_ >= 0 && source_ != first)
    changes.append({configuration_key, QString::number(source_)});
  if (!edited_) return changes;
  // The changes are relative to the configuration that the explorer opens with.
  RnnConfig from = ConfigEditor().input().config;
  QString from_device;
  if (const int of = source_ >= 0 ? source_ : first; of >= 0) {
    const auto& profile = document_->profile();
    const auto& configuration = profile.configurations[static_cast<std::size_t>(of)];
    from = configuration.config;
    from_device = to_qt(profile.devices[static_cast<std::size_t>(configuration.device)].id);
  }
  visit_config_fields([&](std::string_view key, auto, std::string_view) {
    if (key == "id") return;
    const auto value = advisor::field_text(input().config, key);
    if (value != advisor::field_text(from, key)) changes.append({to_qt(key), to_qt(value)});
  });
  if (to_qt(device().id) != from_device) changes.append({device_key, to_qt(device().id)});
  return changes;
}

Result<void> ExplorerView::restore(const ExplorerChanges& changes) {
  if (changes.isEmpty()) return {};
  ConfigInput next;
  next.config = ConfigEditor().input().config;
  int source = first_described(), on = -1;
  bool by_hand = false;
  for (const auto& [key, value] : changes) {
    if (key != configuration_key) continue;
    source = value.toInt();
    if (!document_ || !document_->holds({ItemKind::configuration, source}))
      return document_ ? document_->check({ItemKind::configuration, source})
                       : fail(ErrorCode::not_found, "no profile is open", "open one first");
  }
  std::optional<DeviceSpec> from_device;
  if (source >= 0) {
    const auto& profile = document_->profile();
    const auto& configuration = profile.configurations[static_cast<std::size_t>(source)];
    next = advisor::input_of(configuration);
    from_device = profile.devices[static_cast<std::size_t>(configuration.device)];
  }
  for (const auto& [key, value] : changes) {
    if (key == configuration_key) continue;
    by_hand = true;
    if (key == device_key) {
      const auto known = std::find_if(devices_.begin(), devices_.end(),
                                      [&](const auto& each) { return to_qt(each.id) == value; });
      if (known == devices_.end())
        return fail(ErrorCode::not_found, "there is no device '" + value.toStdString() + "'",
                    "the explorer lists those that are known");
      on = static_cast<int>(known - devices_.begin());
    } else if (key == QLatin1String("seq_lengths") && value.isEmpty()) {
      next.config.seq_lengths.clear();
    } else if (auto good = set_field(next, key.toStdString(), value.toStdString()); !good) {
      return good;
    }
  }
  // As copies: what is set below replaces what these refer to.
  const DeviceSpec where = on >= 0       ? devices_[static_cast<std::size_t>(on)]
                           : from_device ? *from_device
                                         : device();
  show_configuration(next, where, {}, source);
  if (by_hand) by_hand_now();
  return {};
}

void ExplorerView::by_hand_now() {
  edited_ = true;
  of_change_ = false;
  tell_source();
}

}  // namespace rnnadvisor::gui
