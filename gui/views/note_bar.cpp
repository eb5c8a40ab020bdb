#include "gui/views/note_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

// Each letter need not be written to the disk.
constexpr int save_note_after_ms = 600;

}  // namespace

NoteBar::NoteBar(QWidget* parent) : QFrame(parent), text_(new QLineEdit) {
  setObjectName(QStringLiteral("note_bar"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(18, 6, 12, 6);
  row->setSpacing(6);
  for (const auto state :
       {FindingNote::State::to_do, FindingNote::State::tried, FindingNote::State::rejected}) {
    QString word = state_word(state);
    word.replace(0, 1, word.at(0).toUpper());
    auto* button = new QPushButton(word);
    set_look(button, "chip");
    button->setCheckable(true);
    row->addWidget(button);
    buttons_.push_back(button);
    connect(button, &QPushButton::clicked, this, [this, button](bool on) {
      for (auto* each : buttons_) each->setChecked(on && each == button);
      save();
    });
  }
  text_->setPlaceholderText(tr("Note: what came of it, or why not"));
  text_->setAccessibleName(tr("Note"));
  row->addWidget(text_, 1);
  typing_.setSingleShot(true);
  typing_.setInterval(save_note_after_ms);
  connect(text_, &QLineEdit::textEdited, &typing_, qOverload<>(&QTimer::start));
  connect(text_, &QLineEdit::editingFinished, this, &NoteBar::save);
  connect(&typing_, &QTimer::timeout, this, &NoteBar::save);
  hide();
}

void NoteBar::set_notes(Notes* notes) {
  notes_ = notes;
  connect(notes_, &Notes::changed, this, &NoteBar::follow);
}

QPushButton* NoteBar::button(FindingNote::State state) {
  return state == FindingNote::State::none ? nullptr
                                           : buttons_[static_cast<std::size_t>(state) - 1];
}

void NoteBar::show_finding(int finding) {
  save();
  finding_ = finding;
  setVisible(finding >= 0 && notes_ != nullptr);
  follow();
}

void NoteBar::follow() {
  if (notes_ == nullptr || finding_ < 0 || typing_.isActive()) return;
  const FindingNote note = notes_->of(finding_);
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    buttons_[i]->setChecked(static_cast<std::size_t>(note.state) == i + 1);
  if (text_->text().trimmed() != note.text) text_->setText(note.text);
}

void NoteBar::save() {
  typing_.stop();
  if (notes_ == nullptr || finding_ < 0) return;
  FindingNote note;
  note.text = text_->text().trimmed();
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    if (buttons_[i]->isChecked()) note.state = static_cast<FindingNote::State>(i + 1);
  notes_->set(finding_, note);
}

}  // namespace rnnadvisor::gui
