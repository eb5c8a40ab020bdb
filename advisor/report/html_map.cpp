// Maps as inline SVG. A cell has the classes of all layers and radio buttons choose by style sheet
// which one shows, so that one drawing serves all and no script is needed. The same values stand in
// a table.
#include <algorithm>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/measured_times.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {
namespace {

using chart::coordinate;
using model::ConfigurationMap;
using model::Implementation;
using model::MapCell;

constexpr int shades = 8;  // of assets/report.css
constexpr double whole_width = 820, cell_height = 25;

struct Layers {
  MapScale time, speedup;
  explicit Layers(const ConfigurationMap& map)
      : time(map, MapLayer::time), speedup(map, MapLayer::speedup) {}
};

std::string shown(std::string text, const MapCell& cell) {
  if (text.empty()) return cell.run().accepted ? "?" : "–";
  return text;
}

class Drawing {
 public:
  Drawing(const ConfigurationMap& map, const Layers& layers, const std::string& id)
      : map_(map), layers_(layers), id_(id) {
    for (int row = 0; row < rows(); ++row)
      left_ = std::max(left_, text_width(words::tick(map.rows, row)) + 34);
    // All maps have one scale; few columns get no wider than they need.
    cell_width_ = std::clamp((whole_width - left_ - 8) / std::max(1, columns()), 38.0, 60.0);
  }

  std::string draw() {
    const double width = std::max(whole_width, left_ + columns() * cell_width_ + 8);
    const double height = top + rows() * cell_height + 8;
    std::string description;
    for (const auto& line : words::map_advice(map_)) description += line + " ";
    Svg svg(width, height, id_, words::map_title(map_.axes),
            description + "All values are in the table below.");
    svg.text(left_ + columns() * cell_width_ / 2, 13, words::dimension(map_.columns.dimension),
             "label", "middle");
    svg.rotated(13, top + rows() * cell_height / 2, words::dimension(map_.rows.dimension), "label");
    for (int column = 0; column < columns(); ++column)
      svg.text(x(column) + cell_width_ / 2, top - 7, words::tick(map_.columns, column),
               column == map_.columns.here ? "tick own" : "tick", "middle");
    for (int row = 0; row < rows(); ++row)
      svg.text(left_ - 7, y(row) + cell_height / 2 + 4, words::tick(map_.rows, row),
               row == map_.rows.here ? "tick own" : "tick", "end");
    for (int row = 0; row < rows(); ++row)
      for (int column = 0; column < columns(); ++column) svg.raw(cell(row, column));
    borders(svg, MapBorder::implementation, "other-kernels");
    borders(svg, MapBorder::cliff, "cliff");
    for (const auto& better : map_.better) frame(svg, better.row, better.column, "better");
    frame(svg, map_.rows.here, map_.columns.here, "here");
    return svg.take();
  }

 private:
  static constexpr double top = 40;
  int rows() const { return static_cast<int>(map_.rows.ticks.size()); }
  int columns() const { return static_cast<int>(map_.columns.ticks.size()); }
  double x(int column) const { return left_ + column * cell_width_; }
  double y(int row) const { return top + row * cell_height; }

  std::string cell(int row, int column) const {
    const MapCell& cell = map_.at(row, column);
    std::string classes = fmt::format("cell i{}", static_cast<int>(cell.run().implementation));
    if (const auto shade = layers_.time.shade(cell, shades)) classes += fmt::format(" t{}", *shade);
    if (const auto shade = layers_.speedup.shade(cell, shades))
      classes += fmt::format(" g{}", *shade);
    std::string hover;
    for (const auto& line : words::map_cell(map_, row, column))
      hover += (hover.empty() ? "" : "\n") + line;
    std::string out = fmt::format(
        "<g class=\"{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        classes, esc_lines(hover), coordinate(x(column) + 0.5), coordinate(y(row) + 0.5),
        coordinate(cell_width_ - 1), cell_height - 1);
    const auto text = [&](std::string_view type, const std::string& what) {
      out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", type,
                         coordinate(x(column) + cell_width_ / 2),
                         coordinate(y(row) + cell_height / 2 + 4), esc(what));
    };
    const std::string memory = cell.fits ? "" : "!";
    if (map_.has_times) {
      text("vt", shown(layers_.time.text(cell), cell) + memory);
      text("vg", cell.speedup ? layers_.speedup.text(cell) + memory : shown(std::string(), cell));
    }
    text("vi", cell.run().accepted
                   ? std::string(words::implementation_letter(cell.run().implementation)) + memory
                   : "–");
    if (const auto other = other_implementation(map_, row, column)) {
      const double right = x(column) + cell_width_ - 1;
      out += fmt::format("<path class=\"corner k{}\" d=\"M{} {}v9l-9-9z\"/>",
                         static_cast<int>(*other), coordinate(right), coordinate(y(row) + 1));
    }
    return out + "</g>";
  }

  // One path for all of a kind, with a halo in the colour of the ground so that it is seen on
  // every shade.
  void borders(Svg& svg, MapBorder wanted, std::string_view type) const {
    std::string path;
    for (const auto& edge : map_.edges) {
      if (border_after(map_, edge.row, edge.column, edge.vertical) != wanted) continue;
      if (edge.vertical) {
        path += fmt::format("M{} {}h{}", coordinate(x(edge.column)), coordinate(y(edge.row + 1)),
                            coordinate(cell_width_));
      } else {
        path += fmt::format("M{} {}v{}", coordinate(x(edge.column + 1)), coordinate(y(edge.row)),
                            cell_height);
      }
    }
    if (path.empty()) return;
    svg.raw(
        fmt::format("<path class=\"edge-halo {1}\" d=\"{0}\"/><path class=\"edge {1}\" d=\"{0}\"/>",
                    path, type));
  }

  void frame(Svg& svg, int row, int column, std::string_view type) const {
    for (const std::string_view part : {"frame-halo", "frame"}) {
      svg.raw(fmt::format(
          "<rect class=\"{} {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>", part,
          type, coordinate(x(column) + 1), coordinate(y(row) + 1), cell_width_ - 2,
          cell_height - 2));
    }
  }

  const ConfigurationMap& map_;
  const Layers& layers_;
  const std::string& id_;
  double left_ = 40, cell_width_ = 46;
};

void ramp(Page& page, const MapScale& scale, MapLayer layer, char letter) {
  if (scale.empty()) return;
  page.put("<ul class=\"legend l{}\"><li>{}: {} ", letter,
           layer == MapLayer::time ? "time" : "speedup of the fastest algorithm over standard",
           scale.low_text());
  for (int i = 0; i < shades; ++i) page.put("<span class=\"key step {}{}\"></span>", letter, i);
  page.put(" {} (logarithmic)</li></ul>", scale.high_text());
}

void legend(Page& page, const ConfigurationMap& map, const Layers& layers) {
  ramp(page, layers.time, MapLayer::time, 't');
  ramp(page, layers.speedup, MapLayer::speedup, 'g');
  const auto any = [&](auto&& has) { return std::any_of(map.cells.begin(), map.cells.end(), has); };
  page.raw("<ul class=\"legend li\">");
  for (int i = 1; i <= static_cast<int>(Implementation::persistent_small_h); ++i) {
    const auto value = static_cast<Implementation>(i);
    const bool met = any([&](const MapCell& cell) {
      return std::any_of(cell.runs.begin(), cell.runs.end(),
                         [&](const auto& run) { return run.implementation == value; });
    });
    if (met)
      page.put("<li><span class=\"key k{}\"></span>{} {}</li>", i,
               words::implementation_letter(value), words::implementation(value));
  }
  if (!map.framework_picks)
    page.put("<li>corner: what {} would run</li>",
             map.has_times ? "the fastest algorithm" : "another algorithm");
  page.raw(
      "</ul><ul class=\"legend\"><li><span class=\"key outline here\"></span>you are here</li>");
  if (!map.better.empty())
    page.raw("<li><span class=\"key outline better\"></span>nearest better</li>");
  const auto border = [&](MapBorder wanted) {
    return std::any_of(map.edges.begin(), map.edges.end(), [&](const auto& edge) {
      return border_after(map, edge.row, edge.column, edge.vertical) == wanted;
    });
  };
  if (border(MapBorder::cliff))
    page.raw(
        "<li><span class=\"key stroke\"></span>cliff: the time changes by more than the intervals "
        "and the work explain</li>");
  if (border(MapBorder::implementation))
    page.raw("<li><span class=\"key stroke dashed\"></span>other kernels run</li>");
  if (any([](const MapCell& cell) { return !cell.run().accepted; }))
    page.raw("<li>– refused by cuDNN</li>");
  if (map.has_times &&
      any([](const MapCell& cell) { return cell.run().accepted && !cell.run().time; }))
    page.raw("<li>? time not known</li>");
  if (any([](const MapCell& cell) { return !cell.fits; }))
    page.raw("<li>! more memory than the device has</li>");
  page.raw("</ul>");
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
  const auto pick = [&](std::string_view type, MapLayer layer, bool checked) {
    page.put(
        "<input type=\"radio\" name=\"{0}\" id=\"{0}-{1}\" class=\"pick {1}\"{2}><label "
        "for=\"{0}-{1}\">{3}</label>",
        id, type, checked ? " checked" : "", esc(words::map_layer(layer)));
  };
  if (map.has_times) {
    pick("time", MapLayer::time, first_layer(map) == MapLayer::time);
    pick("gain", MapLayer::speedup, false);
  }
  pick("kind", MapLayer::implementation, first_layer(map) == MapLayer::implementation);
  page.raw(Drawing(map, layers, id).draw());
  legend(page, map, layers);
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
