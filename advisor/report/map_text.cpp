// Maps for a terminal. Every cell is a number with the letter of its implementation, so that the
// table reads without colour and in ASCII.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "advisor/report/maps.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

using model::ConfigurationMap;
using model::Implementation;
using model::MapCell;

constexpr int shades = 8;
// xterm's 256 colours, from light to dark; the first five carry black text.
constexpr std::array<int, shades> time_shades = {230, 193, 115, 79, 38, 31, 25, 18};
constexpr std::array<int, shades> speedup_shades = {231, 194, 157, 114, 71, 29, 28, 22};
constexpr int dark_from = 5;

std::string background(const MapCell& cell, const MapScale& scale, MapLayer layer) {
  const auto paint = [](int color, bool dark) {
    return fmt::format("\x1b[48;5;{};38;5;{}m", color, dark ? 231 : 16);
  };
  if (layer == MapLayer::implementation) {
    switch (cell.run().implementation) {
      case Implementation::none:
        return {};
      case Implementation::standard:
        return paint(214, false);
      case Implementation::persistent:
        return paint(36, false);
      case Implementation::persistent_dynamic:
        return paint(74, false);
      case Implementation::persistent_small_h:
        return paint(25, true);
    }
  }
  const auto shade = scale.shade(cell, shades);
  if (!shade) return {};
  const auto& colors = layer == MapLayer::time ? time_shades : speedup_shades;
  return paint(colors[static_cast<std::size_t>(*shade)], *shade >= dark_from);
}

std::string cell_text(const ConfigurationMap& map, int row, int column, const MapScale& scale,
                      MapLayer layer) {
  const MapCell& cell = map.at(row, column);
  std::string text;
  if (layer == MapLayer::speedup) {
    // Of the fastest algorithm, whatever was asked for; of a framework's own where one picks.
    text = scale.text(cell);
    if (cell.best && *cell.best != Algo::standard)
      text += words::implementation_letter(cell.run(*cell.best).implementation);
  } else if (!cell.run().accepted) {
    text = "-";
  } else {
    if (layer == MapLayer::time) text = cell.run().time ? scale.text(cell) : "?";
    text += words::implementation_letter(cell.run().implementation);
  }
  if (layer == MapLayer::implementation) {
    if (const auto other = other_implementation(map, row, column))
      text += fmt::format("/{}", words::implementation_letter(*other));
  }
  if (text.empty()) text = "?";
  return text + (cell.fits ? "" : "!");
}

class Table {
 public:
  Table(const ConfigurationMap& map, MapLayer layer, const TextOptions& options)
      : map_(map), layer_(layer), scale_(map, layer), terminal_(options), color_(options.color) {
    for (int row = 0; row < rows(); ++row) {
      label_ = std::max(label_, words::tick(map.rows, row).size());
      for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
        width_ = std::max(width_, text(row, column).size());
      for (int column = 0;
           layer == MapLayer::implementation && column < static_cast<int>(map.columns.ticks.size());
           ++column) {
        if (const auto other = other_implementation(map, row, column)) others_.insert(*other);
      }
    }
    label_ = std::max(label_, words::dimension(map.rows.dimension).size());
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
      width_ = std::max(width_, words::tick(map.columns, column).size());
    choose_columns();
  }

  std::string write() {
    const bool times = layer_ != MapLayer::implementation;
    terminal_.heading(fmt::format("{}: {}{}, {}", words::map_title(map_.axes),
                                  words::map_layer(layer_),
                                  times && !scale_.empty() && layer_ != MapLayer::speedup
                                      ? fmt::format(" in {}", scale_.unit())
                                      : std::string(),
                                  words::clean(map_.device_name)));
    // A layer of which nothing is known: below it says why.
    if (layer_ == MapLayer::implementation || !scale_.empty()) {
      head();
      for (int row = 0; row < rows(); ++row) line(row);
      legend();
    }
    if (const auto here = words::over_standard(map_.own());
        layer_ == MapLayer::speedup && !here.empty())
      terminal_.paragraph("Here: " + here);
    for (const auto& advice : words::map_advice(map_)) terminal_.paragraph(advice);
    terminal_.paragraph(words::map_basis(map_), 0, {}, Style::dim, Style::dim);
    if (const auto note = words::map_note(map_); !note.empty())
      terminal_.paragraph(note, 0, {}, Style::dim, Style::dim);
    return terminal_.take();
  }

 private:
  int rows() const { return static_cast<int>(map_.rows.ticks.size()); }
  std::string text(int row, int column) const {
    return cell_text(map_, row, column, scale_, layer_);
  }

  void choose_columns() {
    const int all = static_cast<int>(map_.columns.ticks.size());
    // A cell is its text, a bracket on both sides, and what lies between it and the next.
    const int each = static_cast<int>(width_) + 3;
    const int room = std::max(1, (terminal_.width() - static_cast<int>(label_) - 2) / each);
    first_ = std::clamp(map_.columns.here - room / 2, 0, std::max(0, all - room));
    last_ = std::min(all, first_ + room);
  }

  void head() {
    std::string line = fmt::format("{:<{}}", words::dimension(map_.rows.dimension), label_);
    for (int column = first_; column < last_; ++column)
      line += fmt::format(" {:>{}} ", words::tick(map_.columns, column), width_ + 1);
    line.erase(line.find_last_not_of(' ') + 1);
    const std::string title =
        fmt::format("{:>{}}", words::dimension(map_.columns.dimension), line.size());
    terminal_.line(title, Style::dim);
    terminal_.line(line, Style::dim);
  }

  void line(int row) {
    std::string line = fmt::format("{:<{}}", words::tick(map_.rows, row), label_);
    std::string pending = " ";
    std::string below(label_ + 1, ' ');
    bool any_below = false;
    for (int column = first_; column < last_; ++column) {
      const auto& cell = map_.at(row, column);
      const bool here = row == map_.rows.here && column == map_.columns.here;
      const std::string shown =
          here ? fmt::format("{:>{}}", "[" + text(row, column), width_ + 1) + "]"
               : fmt::format("{:>{}} ", text(row, column), width_ + 1);
      const std::string paint = color_ ? background(cell, scale_, layer_) : std::string();
      line += pending;
      pending.clear();
      line += paint;
      line += shown;
      if (!paint.empty()) line += "\x1b[0m";
      MapBorder border = border_after(map_, row, column, false);
      if (column + 1 == last_) border = MapBorder::none;
      line += border == MapBorder::cliff            ? terminal_.symbol("┃", "|")
              : border == MapBorder::implementation ? terminal_.symbol("┆", ":")
                                                    : " ";
      const MapBorder under = border_after(map_, row, column, true);
      any_below = any_below || under != MapBorder::none;
      const std::string_view rule = under == MapBorder::cliff ? terminal_.symbol("━", "=")
                                    : under == MapBorder::implementation
                                        ? terminal_.symbol("┄", "-")
                                        : " ";
      for (std::size_t i = 0; i < width_ + 2; ++i) below += rule;
      below += ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    below.erase(below.find_last_not_of(' ') + 1);
    terminal_.line(line);
    if (any_below) terminal_.line(below);
  }

  void legend() {
    std::vector<std::string> letters;
    for (const auto value :
         {Implementation::standard, Implementation::persistent, Implementation::persistent_dynamic,
          Implementation::persistent_small_h}) {
      const bool met = std::any_of(map_.cells.begin(), map_.cells.end(), [&](const MapCell& cell) {
        return cell.run().implementation == value || (layer_ == MapLayer::speedup && cell.best &&
                                                      cell.run(*cell.best).implementation == value);
      });
      if (met || others_.contains(value)) {
        letters.push_back(fmt::format("{} {}", words::implementation_letter(value),
                                      words::implementation(value)));
      }
    }
    const auto any = [&](auto&& has) {
      return std::any_of(map_.cells.begin(), map_.cells.end(), has);
    };
    if (any([](const MapCell& cell) { return !cell.run().accepted; }))
      letters.emplace_back("- refused by cuDNN");
    if (layer_ == MapLayer::time &&
        any([](const MapCell& cell) { return cell.run().accepted && !cell.run().time; }))
      letters.emplace_back("? time not known");
    if (any([](const MapCell& cell) { return !cell.fits; }))
      letters.emplace_back("! more memory than the device has");
    if (!others_.empty()) {
      letters.push_back(fmt::format("behind / what {} would run", map_.has_times
                                                                      ? "the fastest algorithm"
                                                                      : "another algorithm"));
    }
    letters.emplace_back("[ ] you are here");
    const auto border = [&](MapBorder wanted) {
      return std::any_of(map_.edges.begin(), map_.edges.end(), [&](const auto& edge) {
        return border_after(map_, edge.row, edge.column, edge.vertical) == wanted;
      });
    };
    if (border(MapBorder::cliff))
      letters.push_back(
          fmt::format("{} {} cliff", terminal_.symbol("┃", "|"), terminal_.symbol("━", "=")));
    if (border(MapBorder::implementation))
      letters.push_back(fmt::format("{} {} other kernels", terminal_.symbol("┆", ":"),
                                    terminal_.symbol("┄", "-")));
    terminal_.paragraph(fmt::format("{}", fmt::join(letters, "; ")), 0, {}, Style::dim, Style::dim);
    const std::size_t out = map_.columns.ticks.size() - static_cast<std::size_t>(last_ - first_);
    if (out > 0) {
      terminal_.paragraph(
          fmt::format("{} left out; a wider terminal, --format json or csv show them.",
                      words::plural(static_cast<long long>(out), "column")),
          0, {}, Style::dim, Style::dim);
    }
  }

  const ConfigurationMap& map_;
  MapLayer layer_;
  MapScale scale_;
  Terminal terminal_;
  bool color_;
  std::size_t label_ = 0, width_ = 0;
  int first_ = 0, last_ = 0;
  std::set<Implementation> others_;  // what other algorithms would run
};

}  // namespace

std::string write_map_text(const ConfigurationMap& map, MapLayer layer,
                           const TextOptions& options) {
  if (map.cells.empty()) return {};
  return Table(map, layer, options).write();
}

}  // namespace rnnadvisor::advisor
