// Pages about findings, rules and configurations.
#pragma once

#include <QCoreApplication>
#include <span>

#include "gui/models/page.h"
#include "gui/models/trial.h"

namespace rnnadvisor::gui {

// `trial`: what was tried last, here or elsewhere; null: nothing was.
QString finding_page(const Document& document, int finding, const Theme& theme,
                     const TrialState* trial = nullptr);
// Below a suggestion: that it is being tried, or why it could not be.
void add_trial_state(Page& page, const TrialState& state, const Link& again);
// `devices`: of the profile that is open; the page says whether the card was tried on them.
QString rule_page(const advisor::Rule& rule, const Theme& theme,
                  std::span<const DeviceSpec> devices = {});
QString configuration_page(const Document& document, int configuration, const Theme& theme);
// Of any item.
QString item_page(const Document& document, Item item, const Theme& theme);
// A mark that tells severities and standings apart without colour.
QString mark(advisor::Severity severity);
QString mark(advisor::Standing standing);
QString severity_word(advisor::Severity severity);

}  // namespace rnnadvisor::gui
