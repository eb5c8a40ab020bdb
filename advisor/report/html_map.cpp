// Maps as inline SVG. A drawing has all layers and radio buttons choose by style sheet which one
// shows, so that no script is needed. The same values stand in a table.
#include "advisor/facts/framework_call.h"
#include "advisor/facts/measured_times.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {
namespace {

using model::ConfigurationMap;
using model::MapCell;

struct Layers {
  MapScale time, speedup;
  explicit Layers(const ConfigurationMap& map)
      : time(map, MapLayer::time), speedup(map, MapLayer::speedup) {}
};

std::string shown(std::string text, const MapCell& cell) {
  if (text.empty()) return cell.run().accepted ? "?" : "–";
  return text;
}

void table(Page& page, const ConfigurationMap& map, const Layers& layers) {
  const std::string title = words::map_title(map.axes);
  page.put(
      "<details><summary>As a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Values, {0}\"><table class=\"values\"><caption>{0}{1}</caption><thead><tr><th "
      "scope=\"col\">{2}</th>",
      esc(title),
      map.has_times ? fmt::format(": time in {} with what runs, speedup of the fastest algorithm "
                                  "over standard",
                                  layers.time.empty() ? "ms" : layers.time.unit())
                    : ": what runs",
      esc(words::dimension(map.rows.dimension)));
  for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
    page.put("<th scope=\"col\" class=\"num\">{}{}</th>",
             column == 0 ? std::string(words::dimension(map.columns.dimension)) + " " : "",
             esc(words::tick(map.columns, column)));
  page.raw("</tr></thead><tbody>");
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    page.put("<tr><th scope=\"row\">{}</th>", esc(words::tick(map.rows, row)));
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
      const MapCell& cell = map.at(row, column);
      const bool own = row == map.rows.here && column == map.columns.here;
      std::string text;
      if (!cell.run().accepted) {
        text = "refused";
      } else {
        if (map.has_times) text = shown(layers.time.text(cell), cell) + " ";
        text += words::implementation(cell.run().implementation);
        if (cell.speedup) text += ", " + layers.speedup.text(cell) + "×";
      }
      if (!cell.fits) text += ", too large";
      page.put(own ? fmt::runtime("<td class=\"num\"><strong>{} (you are here)</strong></td>")
                   : fmt::runtime("<td class=\"num\">{}</td>"),
               esc(text));
    }
    page.raw("</tr>");
  }
  page.raw("</tbody></table></div></details>");
}

void one(Page& page, const ConfigurationMap& map, const std::string& id) {
  if (map.cells.empty()) return;
  const Layers layers(map);
  page.put("<div class=\"map\" role=\"group\" aria-labelledby=\"{0}-h\"><h4 id=\"{0}-h\">{1}</h4>",
           id, esc(words::map_title(map.axes)));
  for (const auto& line : words::map_advice(map)) page.put("<p class=\"advice\">{}</p>", esc(line));
  std::vector<MapLayer> shown(all_map_layers.begin(), all_map_layers.end());
  if (!map.has_times) shown = {MapLayer::implementation};
  for (const auto layer : shown)
    page.put(
        "<input type=\"radio\" name=\"{0}\" id=\"{0}-{1}\" class=\"pick {1}\"{2}><label "
        "for=\"{0}-{1}\">{3}</label>",
        id, to_string(layer), layer == first_layer(map) ? " checked" : "",
        esc(words::map_layer(layer)));
  page.raw(svg_of(chart::map_chart(map, shown), map_width, id, words::map_title(map.axes)));
  table(page, map, layers);
  page.raw("</div>");
}

}  // namespace

void maps(Page& page, std::span<const ConfigurationMap> maps, const std::string& id) {
  if (maps.empty()) return;
  for (const auto& map : maps) one(page, map, fmt::format("{}-{}", id, model::to_string(map.axes)));
  const std::string note = words::map_note(maps.front());
  page.put("<p class=\"muted small\">{}{}{}</p>", esc(words::map_basis(maps.front())),
           note.empty() ? "" : " ", esc(note));
}

void maps(Page& page, const Report& report, const ConfigurationReport& each,
          const PredictFor& predict_for) {
  if (!each.has_device || !each.configuration->described()) return;
  const auto measured = measured_times(*report.profile, *each.device);
  std::vector<ConfigurationMap> made;
  for (const auto axes : model::all_map_axes) {
    model::MapRequest request;
    request.here = each.configuration->config;
    request.axes = axes;
    if (predict_for) request.predict = predict_for(*each.device);
    request.measured = measured;
    request.call = framework_caller(each.configuration->program, *each.device, request.here,
                                    each.configuration->from_program());
    made.push_back(model::build_map(request, *each.device));
  }
  page.raw("<details class=\"maps\"><summary>Maps around this configuration</summary>");
  maps(page, made, fmt::format("c{}-map", each.index));
  page.raw("</details>");
}

}  // namespace rnnadvisor::advisor::html

namespace rnnadvisor::advisor {

std::string write_map_html(std::span<const model::ConfigurationMap> maps) {
  html::Page body;
  std::string title = "Maps";
  for (std::size_t i = 0; i < maps.size();) {
    // Those of one configuration stand together.
    std::size_t end = i + 1;
    while (end < maps.size() && maps[end].here == maps[i].here) ++end;
    const std::string name = summary(maps[i].here);
    if (i == 0) title = "Maps around " + name;
    body.put(
        "<section id=\"m{0}\" aria-labelledby=\"m{0}-h\"><h2 id=\"m{0}-h\">{1}</h2><p "
        "class=\"lead\">on {2}</p><div class=\"card\">",
        i, html::esc(maps[i].here.id.empty() ? name : maps[i].here.id + ": " + name),
        html::esc(maps[i].device_name));
    for (const auto& remark : maps[i].remarks) body.put("<p>{}</p>", html::esc(remark));
    html::maps(body, maps.subspan(i, end - i), fmt::format("m{}", i));
    body.raw("</div></section>");
    i = end;
  }
  html::Page navigation;
  navigation.raw("<nav class=\"toc\" aria-label=\"Contents\"><ul>");
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (i > 0 && maps[i].here == maps[i - 1].here) continue;
    navigation.put("<li><a href=\"#m{}\">{}</a></li>", i,
                   html::esc(words::shorten(summary(maps[i].here), 60)));
  }
  navigation.raw("</ul></nav>");
  return html::whole_page(title, navigation.take(), body.take(),
                          "Made by rnnadvisor. Times are estimates unless they are marked as "
                          "measured. This page asks nothing of the network.");
}

}  // namespace rnnadvisor::advisor
