// Where the configuration in the explorer comes from, and what was changed of it by hand: what a
// link and the session keep.
#include <QAction>
#include <QComboBox>
#include <QKeyEvent>
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
  fill_picker();
  const int known = document_ ? static_cast<int>(document_->profile().configurations.size()) : 0;
  // What the user has set by hand stays, and so does what they look at when a file is read again.
  if (!edited_ && !(same && source_ >= 0 && source_ < known)) {
    if (const int first = first_described(); first >= 0) show_source(first);
  } else if (source_ >= known || !same) {
    source_ = -1;
  }
  if (!same) history_.clear();
  if (rules_) changed();  // the profile may have measured it
  tell_source();
}

void ExplorerView::fill_picker() {
  const QSignalBlocker quiet(picker_);
  picker_->clear();
  if (document_) {
    const auto& profile = document_->profile();
    for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
      if (!profile.configurations[i].described()) continue;
      picker_->addItem(to_qt(document_->report().configurations[i].name), static_cast<int>(i));
    }
  }
  picker_->setEnabled(picker_->count() > 0);
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
  const int other = source_ >= 0 ? source_ : first_described();
  QString text = source_ >= 0 ? (edited_ ? tr("Changed from %1") : tr("From %1")).arg(name(source_))
                 : edited_    ? tr("Set by hand")
                              : tr("An example, of no profile");
  QString back;
  if (edited_ && other >= 0) back = source_ >= 0 ? tr("as it was") : tr("take the profile's");
  source_text_->setToolTip(text.toHtmlEscaped());
  // The name gives way, and the link stays.
  const QFontMetrics metrics = source_text_->fontMetrics();
  const int room = source_text_->width() -
                   (back.isEmpty() ? 0 : metrics.horizontalAdvance(QStringLiteral(" · ") + back));
  text = metrics.elidedText(text, Qt::ElideRight, std::max(room, 40)).toHtmlEscaped();
  if (!back.isEmpty())
    text += QStringLiteral(" · <a href=\"profile\" style=\"color:%2\">%1</a>")
                .arg(back, theme_.accent.name());
  source_text_->setText(text);
  const QSignalBlocker quiet(picker_);
  picker_->setCurrentIndex(picker_->findData(source_));
  undo_->setEnabled(history_.can_undo());
  redo_->setEnabled(history_.can_redo());
}

void ExplorerView::add_undo() {
  undo_ = new QAction(tr("Undo"), this);
  redo_ = new QAction(tr("Redo"), this);
  undo_->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Z));
  redo_->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
  for (auto* action : {undo_, redo_}) {
    action->setToolTip(
        tr("%1 in the explorer  %2")
            .arg(action->text(), action->shortcut().toString(QKeySequence::NativeText)));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setEnabled(false);
    addAction(action);
  }
  connect(undo_, &QAction::triggered, this, [this] {
    if (const auto before = history_.undo(step())) take_step(*before);
  });
  connect(redo_, &QAction::triggered, this, [this] {
    if (const auto next = history_.redo(step())) take_step(*next);
  });
}

void ExplorerView::before_change(const QString& what) { history_.before_change(what, step()); }

void ExplorerView::take_step(const Step& step) {
  editor_ = step.editor;
  more_ = step.more;
  source_ = step.source;
  edited_ = step.edited;
  of_change_ = step.of_change;
  if (device_ != step.device) choose_device(step.device);
  fill_controls();
  changed();
  tell_source();
}

// Fields would undo what was typed into them alone.
bool ExplorerView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == source_text_ && event->type() == QEvent::Resize) tell_source();
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
  }
  return View::eventFilter(watched, event);
}

namespace {

// The keys in which `to` differs from `from`, as a person sets them one after the other: what
// follows another value need not be set.
ExplorerChanges changes_from(const RnnConfig& from, const RnnConfig& to) {
  ExplorerChanges changes;
  ConfigInput begin;
  begin.config = from;
  ConfigEditor editor;
  editor.take(begin);
  const auto set = [&](std::string_view key) {
    if (key == "id") return;
    const auto value = advisor::field_text(to, key);
    if (value == advisor::field_text(editor.input().config, key) || !editor.set(key, value)) return;
    // Only its last value counts.
    const QString name = to_qt(key);
    changes.removeIf([&](const auto& each) { return each.first == name; });
    changes.append({name, to_qt(value)});
  };
  // What others follow comes first; what was set on the way and should not be is put right.
  for (const auto* key : {"data_type", "layout", "hidden_size"}) set(key);
  for (int pass = 0; pass < 2; ++pass)
    visit_config_fields([&](std::string_view key, auto, std::string_view) { set(key); });
  return changes;
}

}  // namespace

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
  changes.append(changes_from(from, input().config));
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
  // As the controls set them: a size that was equal to the hidden size follows it.
  ConfigEditor editor;
  editor.take(next);
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
    } else if (auto good = editor.set(key.toStdString(), value.toStdString()); !good) {
      return good;
    }
  }
  next = editor.input();
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
