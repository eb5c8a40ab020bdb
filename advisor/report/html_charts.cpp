// Scenes of charts as inline SVG. Colours come from classes in assets/report.css, so that both
// themes and print restyle them.
#include <fmt/format.h>

#include <array>

#include "advisor/report/charts.h"
#include "advisor/report/html_parts.h"
#include "advisor/report/html_svg.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::html {
namespace {

using chart::coordinate;
using chart::Ink;
using chart::Item;

std::string name_of(const Ink& ink) {
  // In the order of Ink::Is; those that end in a hyphen are several.
  static constexpr std::array<std::string_view, 17> names = {
      "panel", "panel",  "raised", "grid", "axis", "text", "dim", "error", "bound",
      "here",  "raised", "s-",     "s-",   "s-",   "k-",   "h-",  "p-"};
  const auto name = names[static_cast<std::size_t>(ink.is)];
  if (!name.ends_with('-')) return std::string(name);
  const bool several = name == "s-";
  return fmt::format("{}{}", name.substr(0, 1), several ? ink.n % chart::series_inks : ink.n);
}

std::string classes_of(const Item& item) {
  static constexpr std::array<std::string_view, 8> kinds = {"fill",   "stroke", "dot",  "stroke",
                                                            "stroke", "dot",    "ring", "ink"};
  if (item.shape == Item::fill && item.ink.is == Ink::nothing) return "hit";
  std::string text =
      fmt::format("{} c-{}", item.ink.on ? "on" : kinds[static_cast<std::size_t>(item.shape)],
                  name_of(item.ink));
  if (item.ink.faint) text += " faint";
  if (item.bold) text += " bold";
  if (item.small) text += " tiny";
  return text;
}

// Shorter for rectangles, of which maps have many.
std::string path_of(const Item& item) {
  if (item.shape != Item::fill) return html::path_of(outlines_of(item), is_closed(item.shape));
  const auto& p = item.points;
  return fmt::format("M{} {}h{}v{}h{}z", coordinate(p[0].x), coordinate(p[0].y),
                     coordinate(p[1].x - p[0].x), coordinate(p[1].y - p[0].y),
                     coordinate(p[0].x - p[1].x));
}

std::string lines_of(const Item& item) {
  std::string text;
  if (item.width != 1) text += fmt::format(" stroke-width=\"{}\"", coordinate(item.width));
  if (item.dash > 0) {
    std::string lengths;
    for (const double length : chart::dash_of(item.dash))
      lengths += (lengths.empty() ? "" : " ") + coordinate(length);
    text += fmt::format(" stroke-dasharray=\"{}\"", lengths);
  }
  return text;
}

std::string text_of(const Item& item) {
  const std::string_view anchor = item.anchor == chart::Anchor::start    ? ""
                                  : item.anchor == chart::Anchor::middle ? " m"
                                                                         : " e";
  return fmt::format("<text class=\"{}{}\" x=\"{}\" y=\"{}\">{}</text>", classes_of(item), anchor,
                     coordinate(item.points[0].x), coordinate(item.points[0].y), esc(item.text));
}

// The start tag without what it draws. Equal ones after each other become one path.
std::string tag_of(const Item& item) {
  return fmt::format("<path class=\"{}\"{}", classes_of(item), lines_of(item));
}

class Writer {
 public:
  void put(const Item& item) {
    if (item.layer != layer_) {
      close();
      if (layer_ >= 0) out_ += "</g>";
      layer_ = item.layer;
      if (layer_ >= 0)
        out_ += fmt::format("<g class=\"layer l{}\">", to_string(static_cast<MapLayer>(layer_)));
    }
    if (item.shape == Item::label) {
      close();
      if (!item.text.empty()) out_ += text_of(item);
      return;
    }
    const std::string path = path_of(item);
    if (item.halo) {
      close();
      out_ += fmt::format("<path class=\"stroke c-panel\" stroke-width=\"{}\" d=\"{}\"/>",
                          coordinate(item.width + 3), path);
    }
    const std::string tag = tag_of(item);
    if (tag != tag_ || !item.hint.empty()) {
      close();
      tag_ = tag;
      out_ += tag + " d=\"";
    }
    out_ += path;
    if (item.hint.empty()) return;
    out_ += "\"><title>" + esc_lines(item.hint) + "</title></path>";
    tag_.clear();
  }
  std::string take() {
    close();
    if (layer_ >= 0) out_ += "</g>";
    return std::move(out_);
  }

 private:
  void close() {
    if (!tag_.empty()) out_ += "\"/>";
    tag_.clear();
  }

  std::string out_, tag_;
  int layer_ = -1;
};

}  // namespace

std::string svg_of(const chart::Chart& chart, double width, std::string_view id,
                   std::string_view title) {
  chart::Canvas canvas;
  canvas.width = width;
  // The page's font is not known: none of its usual ones is wider.
  canvas.measure = [](std::string_view text, bool bold) {
    return (bold ? 7.7 : 7.2) * static_cast<double>(words::display_width(text));
  };
  const auto scene = chart.scene(canvas);
  if (scene.items.empty()) return {};
  Svg svg(scene.width, scene.height + 2, id, title, chart.description());
  Writer writer;
  for (const auto& item : scene.items) writer.put(item);
  svg.raw(writer.take());
  return svg.take();
}

std::string step_chart(const Report& report) {
  const auto chart = chart::steps(report);
  return chart ? svg_of(*chart, page_width, "step-bar", "Where the time of a step goes")
               : std::string();
}

std::string timing_chart(const ConfigurationReport& each, const std::string& id) {
  const auto chart = chart::phase_times(each);
  return chart ? svg_of(*chart, chart_width, id, "Time of each phase") : std::string();
}

std::string roofline_chart(const ConfigurationReport& each, const std::string& id) {
  const auto chart = chart::roofline(each);
  return chart ? svg_of(*chart, chart_width, id, fmt::format("Roofline, {} arithmetic", each.pipe))
               : std::string();
}

std::string memory_bar(const ConfigurationReport& each, const std::string& id) {
  const auto chart = chart::memory(each);
  return chart ? svg_of(*chart, chart_width, id, "What the memory is needed for") : std::string();
}

}  // namespace rnnadvisor::advisor::html
