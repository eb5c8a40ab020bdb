// A rule and a configuration, as reports say them.
#include "advisor/report/content.h"
#include "gui/models/pages.h"
#include "gui/models/render_page.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {

namespace content = advisor::document;

QString rule_page(const advisor::Rule& rule, const Theme& theme,
                  std::span<const DeviceSpec> devices) {
  Page page(theme);
  auto blocks = content::rule_of(rule, content::window, devices);
  std::get<content::Card>(blocks.front().is).word = from_qt(severity_word(rule.severity));
  draw(page, blocks);
  return page.take();
}

QString configuration_page(const Document& document, int configuration, const Theme& theme) {
  if (!document.holds({ItemKind::configuration, configuration})) return {};
  const auto& report = document.report().configurations[static_cast<std::size_t>(configuration)];
  Page page(theme);
  if (report.configuration->described()) {
    Link explore;
    explore.kind = LinkKind::explore;
    explore.configuration = configuration;
    page.small(page.link(explore, Texts::tr("Open in the explorer")));
  }
  draw(page, {content::configuration_of({document.report(), content::window}, report, true)});
  return page.take();
}

}  // namespace rnnadvisor::gui
