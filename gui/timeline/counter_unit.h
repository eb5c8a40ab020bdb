// What the value of a hardware counter is counted in, by the counter's name in CUPTI.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor::gui::timeline {

enum class CounterUnit {
  plain,    // a number of whatever its name says, in one interval
  percent,  // of what the device can do at best, or while it runs
  bytes_per_second,
  hertz,  // cycles a second
  per_second
};

// Names are made as CUPTI's profiling guide has them, unit__counter.rollup.submetric: "pct" in the
// last parts is percent, "per_second" a rate, "bytes" and "cycles" in the counter say of what.
CounterUnit counter_unit(std::string_view metric);
// Three significant digits below 1000; "0" for nothing.
std::string short_number(double value);
// "87.3 %", "2.41 TB/s", "1.98 GHz", "12500 /s", "12.5": three digits. Rates are decimal, as in
// data sheets.
std::string counter_text(CounterUnit unit, double value);
// What counter_text() puts after the number: "%", "TB/s"; empty for `plain`.
std::string unit_text(CounterUnit unit, double value);
// The top of the scale of a counter whose largest value is `peak`: what can be at most where that
// is known, else the peak itself; above 0.
double counter_top(CounterUnit unit, double peak);

}  // namespace rnnadvisor::gui::timeline
