// A sweep file as written: blocks with their axes, before any combination is made. Internal to the
// sweep reader.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// One key with its value as set_field() reads it.
struct SweepAssignment {
  std::string key;
  std::string text;
  SourcePosition where;
};
struct SweepAxis {
  std::string key;
  std::vector<SweepAssignment> values;
};
struct SweepTie {
  std::string key, source;
  SourcePosition where;
};
struct SweepBlock {
  std::string id_template;
  SourcePosition id_where, where;
  std::vector<SweepAssignment> base;
  std::vector<SweepAxis> axes;                     // in file order
  std::vector<std::vector<SweepAssignment>> list;  // empty: one entry without keys
  std::vector<SweepTie> ties;
};
struct SweepFigure {
  Figure figure;
  std::vector<std::pair<std::string, SourcePosition>> patterns;  // ids, perhaps with a final *
};
struct SweepDocument {
  std::string title;
  std::vector<SweepBlock> blocks;
  std::vector<SweepFigure> figures;
};

// `limit` bounds the number of values of one range.
tl::expected<SweepDocument, std::vector<Error>> read_sweep_document(std::string_view text,
                                                                    std::string_view file,
                                                                    std::size_t limit);

}  // namespace rnnadvisor::advisor
