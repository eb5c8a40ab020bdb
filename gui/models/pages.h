// What is said of findings, rules and configurations, as pages.
#pragma once

#include <QCoreApplication>

#include "gui/models/page.h"

namespace rnnadvisor::gui {

QString finding_page(const Document& document, int finding, const Theme& theme);
QString rule_page(const advisor::Rule& rule, const Theme& theme);
QString configuration_page(const Document& document, int configuration, const Theme& theme);
// Of any item.
QString item_page(const Document& document, Item item, const Theme& theme);
// The conditions of a persistent algorithm, kept and broken.
void add_why_not(Page& page, const model::WhyNot& table);

// A mark that tells severities and standings apart without colour.
QString mark(advisor::Severity severity);
QString mark(advisor::Standing standing);
QString severity_word(advisor::Severity severity);

}  // namespace rnnadvisor::gui
