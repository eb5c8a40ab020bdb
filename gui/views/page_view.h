// A page about one configuration.
#pragma once

#include "gui/models/pages.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

namespace rnnadvisor::gui {

class PageView : public View {
  Q_OBJECT
 public:
  explicit PageView(ViewState* state, QWidget* parent = nullptr)
      : View(parent), state_(state), page_(new PageBrowser) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(page_);
    page_->setAccessibleName(tr("Configuration"));
    connect(page_, &PageBrowser::link_activated, this, &View::link_activated);
    connect(state_, &ViewState::selection_changed, this, [this] { show_selected(); });
  }
  void set_document(DocumentPointer document) override {
    document_ = std::move(document);
    shown_ = -1;
    page_->clear();
  }
  void set_theme(const Theme& theme) override {
    theme_ = theme;
    show_page();  // whatever else is selected by now
  }
  QWidget* first_focus() override { return page_; }

 private:
  void show_selected() {
    const Item item = state_->selection();
    if (item.kind != ItemKind::configuration) return;
    shown_ = item.index;
    show_page();
  }
  void show_page() {
    if (document_ && shown_ >= 0) page_->show_page(configuration_page(*document_, shown_, theme_));
  }
  ViewState* state_;
  DocumentPointer document_;
  Theme theme_ = light_theme();
  PageBrowser* page_;
  int shown_ = -1;  // configuration
};

}  // namespace rnnadvisor::gui
