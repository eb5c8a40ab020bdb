// The figures of a configuration, with their captions.
#include "advisor/report/html_parts.h"

namespace rnnadvisor::advisor::html {

std::string charts(const ConfigurationReport& each) {
  const std::string timing = timing_chart(each, fmt::format("c{}-time", each.index));
  const std::string roofline = roofline_chart(each, fmt::format("c{}-roof", each.index));
  if (timing.empty() && roofline.empty()) return {};
  std::string both = "<div class=\"charts\">";
  if (!timing.empty())
    both += fmt::format("<figure><figcaption>Time</figcaption>{}</figure>", timing);
  if (!roofline.empty())
    both += fmt::format(
        "<figure><figcaption>Roofline <span class=\"muted\">({} ceilings)</span></figcaption>{}"
        "</figure>",
        each.ceilings_measured ? "measured" : "datasheet or partly measured", roofline);
  return both + "</div>";
}

std::string memory_figure(const ConfigurationReport& each) {
  const std::string bar = memory_bar(each, fmt::format("c{}-mem", each.index));
  return bar.empty() ? bar : fmt::format("<figure class=\"memory\">{}</figure>", bar);
}

}  // namespace rnnadvisor::advisor::html
