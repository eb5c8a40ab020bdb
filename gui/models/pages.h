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
// What an experiment of the profile measured: before and after, memory, how far results moved.
void add_measured(Page& page, const Profile& profile, int experiment);
// `devices`: of the profile that is open; the page says whether the card was tried on them.
QString rule_page(const advisor::Rule& rule, const Theme& theme,
                  std::span<const DeviceSpec> devices = {});
QString configuration_page(const Document& document, int configuration, const Theme& theme);
// Of any item.
QString item_page(const Document& document, Item item, const Theme& theme);
// The conditions of a persistent algorithm, kept and broken.
// What keeps `report` from the algorithm of `table`. Nothing where that runs (or, without kernels,
// is expected to) and no condition is broken. True when something was added. `lines`: not as a
// table, but as lines, which are laid out sooner.
bool add_why_not(Page& page, const advisor::ConfigurationReport& report, const model::WhyNot& table,
                 bool lines = false);

// Where a criterion was tried, and whether `devices` are among that.
void add_trials(Page& page, std::span<const advisor::ValidityRecord> records,
                std::span<const Citation> citations, std::span<const DeviceSpec> devices);

// A mark that tells severities and standings apart without colour.
QString mark(advisor::Severity severity);
QString mark(advisor::Standing standing);
QString severity_word(advisor::Severity severity);

}  // namespace rnnadvisor::gui
