// Sequence lengths, and what the layout of x and y asks of them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/config/constraints/constraint.h"

namespace rnnadvisor::constraints {
namespace {

bool packed_lengths(const RnnConfig& c) { return c.packed() && !c.seq_lengths.empty(); }

auto out_of_range(const RnnConfig& c) {
  return std::find_if(c.seq_lengths.begin(), c.seq_lengths.end(),
                      [&c](int length) { return length < 0 || length > c.seq_length; });
}

auto first_unsorted(const RnnConfig& c) {
  return std::is_sorted_until(c.seq_lengths.begin(), c.seq_lengths.end(), std::greater<>());
}

int longest(const RnnConfig& c) {
  return *std::max_element(c.seq_lengths.begin(), c.seq_lengths.end());
}

}  // namespace

std::vector<Constraint> sequence_constraints() {
  return {
      {.id = "seq-lengths-count",
       .title = "seq_lengths has one length per sequence",
       .keys = {"seq_lengths", "batch_size"},
       // cuDNN gets a pointer and the batch size: it reads past a list that is too short.
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = header_9(),
       .broken =
           [](const RnnConfig& c) {
             return !c.seq_lengths.empty() && c.batch_size >= 0 &&
                    c.seq_lengths.size() != static_cast<std::size_t>(c.batch_size);
           },
       .explain =
           [](const RnnConfig& c) {
             return Breach{fmt::format("seq_lengths has {} lengths for batch_size {}",
                                       c.seq_lengths.size(), c.batch_size),
                           "give one length per sequence, or leave batch_size out"};
           }},
      {.id = "seq-lengths-range",
       .title = "every length is from 0 to seq_length",
       .keys = {"seq_lengths", "seq_length"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = observed(data_descriptor),
       .broken = [](const RnnConfig& c) { return out_of_range(c) != c.seq_lengths.end(); },
       .explain =
           [](const RnnConfig& c) {
             const auto bad = out_of_range(c);
             return Breach{fmt::format("seq_lengths[{}] is {}, outside 0 to seq_length {}",
                                       bad - c.seq_lengths.begin(), *bad, c.seq_length),
                           "make seq_length the longest length, or leave it out"};
           }},
      {.id = "packed-sorted",
       .title = "in the packed layout the lengths descend",
       .keys = {"layout", "seq_lengths"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = guide_7(),
       .broken =
           [](const RnnConfig& c) {
             return packed_lengths(c) && first_unsorted(c) != c.seq_lengths.end();
           },
       .explain =
           [](const RnnConfig& c) {
             const auto at = first_unsorted(c);
             return Breach{
                 fmt::format("seq_lengths[{}] is {} after {} in the packed layout",
                             at - c.seq_lengths.begin(), *at, *(at - 1)),
                 "sort the sequences from longest to shortest, or use an unpacked layout"};
           }},
      {.id = "packed-no-zero-length",
       .title = "in the packed layout every sequence has a step",
       .keys = {"layout", "seq_lengths"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = observed(data_descriptor),
       .broken =
           [](const RnnConfig& c) {
             return packed_lengths(c) &&
                    std::find(c.seq_lengths.begin(), c.seq_lengths.end(), 0) != c.seq_lengths.end();
           },
       .explain =
           [](const RnnConfig& c) {
             const auto at = std::find(c.seq_lengths.begin(), c.seq_lengths.end(), 0);
             return Breach{fmt::format("seq_lengths[{}] is 0 in the packed layout",
                                       at - c.seq_lengths.begin()),
                           "drop empty sequences from the batch, or use an unpacked layout"};
           }},
      {.id = "packed-longest",
       .title = "in the packed layout seq_length is the longest length",
       .keys = {"layout", "seq_lengths", "seq_length"},
       .enforcement = Enforcement::rejected_by_set_descriptor,
       .status = bad_param,
       .citation = observed(data_descriptor),
       .broken = [](const RnnConfig& c) { return packed_lengths(c) && longest(c) != c.seq_length; },
       .explain =
           [](const RnnConfig& c) {
             return Breach{
                 fmt::format(
                     "the longest of seq_lengths is {}, but seq_length is {} in the packed layout",
                     longest(c), c.seq_length),
                 "leave seq_length out, or use an unpacked layout"};
           }},
      {.id = "unpacked-padded-io",
       .title = "the unpacked layouts are used with padded_io",
       .keys = {"layout", "padded_io"},
       // With sequences of one length cuDNN 9.19 ran 107 of 107 such calls on an H200; unequal
       // lengths were not tried.
       .enforcement = Enforcement::not_caught,
       .status = {},
       .citation = guide_7(),
       .broken = [](const RnnConfig& c) { return !c.packed() && !c.padded_io; },
       .explain =
           [](const RnnConfig& c) {
             const bool varying = c.has_varying_lengths();
             return Breach{
                 fmt::format("layout {} without padded_io{}", to_string(c.layout),
                             varying ? ", with sequences of different lengths"
                                     : "; cuDNN 9.19 takes it while all lengths are equal"),
                 "set padded_io = true", varying ? Enforcement::unknown : Enforcement::not_caught};
           }},
  };
}

}  // namespace rnnadvisor::constraints
