#include "profiler/import/chrome_trace.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/profiler/import/import_bytes.h"

namespace rnnadvisor::import_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Taken {
  std::vector<TraceEvent> events;
  TraceRead read;
};

Taken take(std::string_view text, std::size_t piece = 1U << 16U) {
  Taken taken;
  taken.read = read_bytes(text, piece, [&](const TraceEvent& event, const TraceHeader&) {
    taken.events.push_back(event);
    return true;
  });
  return taken;
}

constexpr std::string_view small_trace = R"({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132,
    "totalGlobalMem": 150109880320, "sharedMemPerBlockOptin": 232448, "more": {"deep": [1, [2, {"id": 7}]]}}],
  "record_shapes": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"rank": 9}]},
  "cuda_driver_version": 13000, "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::_cudnn_rnn", "pid": 2522, "tid": 2603, "ts": 5047322805172.664, "dur": 28902.393,
     "args": {"External id": 513, "Sequence number": 7, "Concrete Inputs": ["", "[1, 2]", "2"], "Input type": ["float", "TensorList", "Scalar"],
              "Input Dims": [[30, 16, 16], [[256, 16], [256]], []], "Input Strides": [[256, 16, 1], [], []], "Ev Idx": 0}},
    {"ph": "M", "name": "thread_name", "pid": "Spans", "tid": "Tr\u00e4ce", "args": {"name": "stream 7"}},
    {"ph": "X", "cat": "kernel", "name": "k<\"int\">", "pid": 0, "tid": 7, "ts": 0.5, "dur": 1e1,
     "args": {"device": 0, "stream": 7, "correlation": 2943, "registers per thread": 16, "shared memory": 48, "blocks per SM": 0.007576,
              "grid": [1, 2, 3], "block": [128, 1, 1], "est. achieved occupancy %": 0}}
  ],
  "traceName": "x"
})";

bool same(const TraceEvent& a, const TraceEvent& b) {
  const auto key = [](const TraceEvent& e) {
    std::vector<std::vector<std::int64_t>> dims;
    for (const auto& argument : e.arguments) dims.push_back(argument.dims);
    return std::tuple(e.phase, e.category, e.name, e.start_ns, e.duration_ns, e.process, e.thread,
                      std::tuple(e.external_id, e.correlation, e.sequence_number, e.device,
                                 e.stream, e.bytes, e.registers, e.shared_memory),
                      e.grid, e.block, e.argument_name, e.inputs, e.types, dims);
  };
  return key(a) == key(b);
}

TEST(ChromeTrace, KeepsWhatImportersUse) {
  const auto [events, read] = take(small_trace);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(read.cut_off, "");
  EXPECT_EQ(read.events, 3);
  const auto& op = events[0];
  EXPECT_EQ(op.phase, 'X');
  EXPECT_EQ(op.name, "aten::_cudnn_rnn");
  // A double of this many microseconds has no room for the last digit; this is exact.
  EXPECT_EQ(op.start_ns, 5'047'322'805'172'664);
  EXPECT_EQ(op.duration_ns, 28'902'393);
  EXPECT_EQ(op.external_id, 513);
  EXPECT_EQ(op.sequence_number, 7);
  EXPECT_THAT(op.inputs, ElementsAre("", "[1, 2]", "2"));
  EXPECT_THAT(op.types, ElementsAre("float", "TensorList", "Scalar"));
  ASSERT_EQ(op.arguments.size(), 3U);
  EXPECT_THAT(op.arguments[0].dims, ElementsAre(30, 16, 16));
  EXPECT_EQ(op.arguments[1].tensors, 2);
  EXPECT_THAT(op.arguments[1].dims, IsEmpty());
  EXPECT_EQ(events[1].process, -1);  // a text
  EXPECT_EQ(events[1].argument_name, "stream 7");
  const auto& kernel = events[2];
  EXPECT_EQ(kernel.name, "k<\"int\">");
  EXPECT_EQ(kernel.start_ns, 500);
  EXPECT_EQ(kernel.duration_ns, 10'000);
  EXPECT_THAT(kernel.grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(kernel.block, ElementsAre(128, 1, 1));
  EXPECT_EQ(kernel.registers, 16);
  EXPECT_EQ(kernel.shared_memory, 48);
  EXPECT_THAT(kernel.inputs, IsEmpty());  // not those of the event before
  const auto& header = read.header;
  ASSERT_EQ(header.devices.size(), 1U);
  EXPECT_EQ(header.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(header.devices[0].id, 0);
  EXPECT_EQ(header.devices[0].sm_count, 132);
  EXPECT_EQ(header.rank, 3);
  EXPECT_EQ(header.world_size, 8);
  EXPECT_EQ(header.base_ns, 1'790'857'026'000'000'000);
  EXPECT_EQ(header.driver_version, 13000);
  EXPECT_TRUE(header.record_shapes && header.by_kineto);
}

TEST(ChromeTrace, ReadsTheSameInPiecesOfAnySize) {
  const auto whole = take(small_trace);
  for (std::size_t piece = 1; piece < 200; ++piece) {
    const auto pieces = take(small_trace, piece);
    ASSERT_EQ(pieces.events.size(), whole.events.size()) << piece;
    for (std::size_t i = 0; i < whole.events.size(); ++i)
      EXPECT_TRUE(same(pieces.events[i], whole.events[i])) << piece << " " << i;
    EXPECT_EQ(pieces.read.cut_off, "");
  }
}

TEST(ChromeTrace, ATraceThatIsCutOffKeepsWhatCameBefore) {
  const auto whole = take(small_trace);
  std::size_t last = 0;
  for (std::size_t size = 0; size + 2 < small_trace.size(); ++size) {
    const auto part = take(small_trace.substr(0, size));
    EXPECT_NE(part.read.cut_off, "") << size;
    ASSERT_GE(part.events.size(), last);
    last = part.events.size();
    for (std::size_t i = 0; i < last; ++i) EXPECT_TRUE(same(part.events[i], whole.events[i]));
  }
  EXPECT_EQ(last, 3U);
}

// Any JSON beside and within the events, as a library writes it: read to the end, with the names
// and times that were written.
class DrawnJson {
 public:
  explicit DrawnJson(unsigned seed) : random_(seed) {}
  int below(int limit) { return std::uniform_int_distribution(0, limit - 1)(random_); }
  std::string text() {
    static const std::vector<std::string> pieces = {"a", "\"", "\\", "\n", "\t",         "\x01",
                                                    "/", "{",  "}",  "[",  "]",          ",",
                                                    ":", " ",  "é",  "😀", "kernel<int>"};
    std::string drawn;
    for (int i = below(30); i > 0; --i) drawn += pieces[static_cast<std::size_t>(below(17))];
    return drawn;
  }
  nlohmann::json value(int depth = 0) {
    switch (below(depth > 4 ? 5 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return below(1'000'000) - 500'000;
      case 3:
        return std::uniform_real_distribution(-1e20, 1e20)(random_);
      case 4:
        return text();
      case 5: {
        auto list = nlohmann::json::array();
        for (int i = below(5); i > 0; --i) list.push_back(value(depth + 1));
        return list;
      }
      default: {
        auto object = nlohmann::json::object();
        for (int i = below(5); i > 0; --i) object[text()] = value(depth + 1);
        return object;
      }
    }
  }

 private:
  std::mt19937 random_;
};

TEST(ChromeTrace, ReadsWhatALibraryWrites) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    DrawnJson drawn(seed);
    nlohmann::json trace = {{"other", drawn.value()}, {"traceEvents", nlohmann::json::array()}};
    std::vector<std::string> names;
    for (int i = drawn.below(6); i > 0; --i) {
      names.push_back(drawn.text());
      nlohmann::json event = {{"name", names.back()}, {"ph", "X"}, {"ts", i * 17}};
      for (const auto* key : {"args", "cat", "dur", "id", "tid", "Ω"})
        if (drawn.below(2) == 0) event[key] = drawn.value();
      for (const auto* key : {"Input Dims", "Input type", "Concrete Inputs", "grid", "name", "x"})
        if (drawn.below(3) == 0) event["args"] = {{key, drawn.value()}, {"stream", drawn.value()}};
      trace["traceEvents"].push_back(std::move(event));
    }
    trace["zzz"] = drawn.value();
    const bool ascii = drawn.below(2) == 0;
    const auto text = trace.dump(drawn.below(4) - 1, ' ', ascii);
    const auto piece = static_cast<std::size_t>(1 + drawn.below(70));
    const auto [events, read] = take(text, piece);
    ASSERT_EQ(read.cut_off, "") << seed << "\n" << text;
    std::vector<std::string> found;
    for (const auto& event : events) found.push_back(event.name);
    EXPECT_EQ(found, names) << seed;
    // Events that nobody wants are passed over to their end.
    int rest = 0;
    const auto passed = read_bytes(
        text, piece, [&](const TraceEvent&, const TraceHeader&) { return ++rest > 0; },
        [](const TraceEvent& event) {
          return event.name.size() % 2 == 1 ? Wanted::no : Wanted::without_args;
        });
    EXPECT_EQ(passed.cut_off, "") << seed;
    EXPECT_EQ(passed.events, static_cast<std::int64_t>(names.size()));
    EXPECT_EQ(rest, std::count_if(names.begin(), names.end(),
                                  [](const auto& name) { return name.size() % 2 == 0; }));
  }
}

// A part of the file that is not read may be longer than what is kept in memory of it.
TEST(ChromeTrace, PassesOverPartsOfAnyLength) {
  std::string part = "{\"stackFrames\": [";
  const std::string frame = "{\"name\": \"a \\\" b\", \"category\": [1, 2]}, ";
  const std::string end = "0], \"traceEvents\": [{\"ph\": \"X\", \"name\": \"k\"}]}";
  std::size_t frames = 0, largest = 0;
  TraceReading reading;
  reading.read = [&](char* into, std::size_t most) {
    largest = std::max(largest, most);
    while (part.size() < most && frames < 2'000'000) part += frame, ++frames;
    if (frames == 2'000'000) part += end, ++frames;
    const auto size = std::min(most, part.size());
    std::memcpy(into, part.data(), size);
    part.erase(0, size);
    return size;
  };
  reading.event = [](const TraceEvent& event, const TraceHeader&) { return event.name == "k"; };
  const auto read = read_chrome_trace(reading);
  EXPECT_EQ(read.cut_off, "");
  EXPECT_EQ(read.events, 1);
  EXPECT_LE(largest, reading.buffer_bytes);
}

TEST(ChromeTrace, HalfACharacterIsReplaced) {
  const auto events =
      take(R"([{"name": "\ud83d\ude00 \udc80 \ud83d x \ud83d\u0041"}, {"name": "\u12"}])").events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].name,
            "😀 \xEF\xBF\xBD \xEF\xBF\xBD x \xEF\xBF\xBD"
            "A");
}

TEST(ChromeTrace, ListOfEventsAloneIsATrace) {
  EXPECT_EQ(take(R"([{"ph": "X", "name": "a", "ts": 1}, {"ph": "X", "name": "b", "ts": 2}])")
                .events.size(),
            2U);
}

TEST(ChromeTrace, OtherTextsAndDeepNestingEndInAReason) {
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("{\"traceEvents\": 5"),
        std::string(1'000'000, '['), "{\"traceEvents\": [" + std::string(1'000'000, '{'),
        std::string("\0\0", 2)}) {
    const auto taken = take(text);
    EXPECT_NE(taken.read.cut_off, "") << text.substr(0, 20);
    EXPECT_THAT(taken.events, IsEmpty());
  }
  EXPECT_EQ(take("{\"a\": [1, {}]}").read.cut_off, "");
}

TEST(ChromeTrace, NumbersThatCannotBeAreNone) {
  const auto events =
      take(
          R"([{"ph": "X", "ts": 99999999999999999999999, "dur": -3.5, "args": {"device": 1e300, "stream": 3.7}},
               {"ts": "12.25", "args": {"device": NaN}}])")
          .events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].start_ns, -1);
  EXPECT_EQ(events[0].duration_ns, -3500);
  EXPECT_EQ(events[0].device, -1);
  EXPECT_EQ(events[0].stream, 3);
  EXPECT_EQ(events[1].start_ns, 12'250);
}

TEST(ChromeTrace, StopsWhereItIsTold) {
  int count = 0;
  const auto read = read_bytes(small_trace, 64,
                               [&](const TraceEvent&, const TraceHeader&) { return ++count < 2; });
  EXPECT_TRUE(read.stopped);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(read.cut_off, "");
}

}  // namespace
}  // namespace rnnadvisor::import_trace
