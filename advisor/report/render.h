// Draws documents: on a terminal, as Markdown (CommonMark with tables) and as HTML.
#pragma once

#include "advisor/report/document.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/terminal.h"

namespace rnnadvisor::advisor::document {

void draw(Terminal& terminal, const Blocks& blocks);
// `level` of the first heading.
std::string markdown(const Blocks& blocks, int level = 2);
void draw(html::Page& page, const Blocks& blocks);

// Text as it is on a terminal, code between backticks.
std::string plain(const Text& text);

}  // namespace rnnadvisor::advisor::document
