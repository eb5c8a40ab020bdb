// Draws what reports say (advisor/report/document.h) on pages of the window.
#pragma once

#include <functional>

#include "advisor/report/document.h"
#include "gui/models/page.h"

namespace rnnadvisor::gui {

struct PageOptions {
  const advisor::RuleSet* rules = nullptr;  // those that a text names are links with their title
  bool lines = false;                       // no tables, but lines, which are laid out sooner
  // Adds below an entry what can be done about its subject.
  std::function<void(const advisor::document::Entry&)> act = {};
};
void draw(Page& page, const advisor::document::Blocks& blocks, const PageOptions& options = {});

// A sign in its colour.
QString sign(const Page& page, advisor::document::Mark mark);

}  // namespace rnnadvisor::gui
