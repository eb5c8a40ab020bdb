// The hooks of cuDNN's functions: what the program passes goes on unchanged, and what the
// descriptors hold is in the spool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiler/plugin/child.h"
#include "tests/profiler/plugin/probe/values.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Entry;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string text_of(const Result& result) { return result.out + result.error; }

// Linked, looked up by name in a handle, and linked in a library of its own.
class Through : public ::testing::TestWithParam<const char*> {
 protected:
  Through() : child(PROBE_FILE) { child.variable("PROBE_THROUGH", GetParam()); }
  Child child;
};
INSTANTIATE_TEST_SUITE_P(, Through, ::testing::Values("linked", "handle", "user"),
                         [](const auto& test) { return std::string(test.param); });

void expect_fields(const Spool& s, bool with_handle) {
  ASSERT_EQ(s.calls.size(), 4u);
  for (const auto& call : s.calls) {
    const auto& [c, lengths] = s.shape(call);
    EXPECT_EQ(c.algo, CUDNN_RNN_ALGO_STANDARD);
    EXPECT_EQ(c.cell, CUDNN_LSTM);
    EXPECT_EQ(c.bias, CUDNN_RNN_SINGLE_REC_BIAS);
    EXPECT_EQ(c.direction, CUDNN_BIDIRECTIONAL);
    EXPECT_EQ(c.input_mode, CUDNN_LINEAR_INPUT);
    EXPECT_EQ(c.data_type, CUDNN_DATA_HALF);
    EXPECT_EQ(c.math_precision, CUDNN_DATA_FLOAT);
    EXPECT_EQ(c.math_type, CUDNN_TENSOR_OP_MATH);
    EXPECT_EQ(c.input_size, probe::input_size);
    EXPECT_EQ(c.hidden_size, probe::hidden_size);
    EXPECT_EQ(c.projection_size, probe::projection_size);
    EXPECT_EQ(c.layers, probe::layers);
    EXPECT_EQ(c.aux_flags, 1u);
    EXPECT_EQ(c.clip_mode, CUDNN_RNN_CLIP_MINMAX);
    EXPECT_EQ(c.clip_low, probe::clip_low);
    EXPECT_EQ(c.clip_high, probe::clip_high);
    EXPECT_EQ(c.dropout, with_handle ? probe::dropout : 0);
    EXPECT_EQ(c.dropout_seed, with_handle ? probe::dropout_seed : 0);
    const bool described = call.entry != Entry::build_dynamic;
    EXPECT_EQ(c.known, spool::known_descriptor | spool::known_clip | spool::known_dropout |
                           (described ? spool::known_data | spool::known_lengths : 0));
    if (described) {
      EXPECT_EQ(c.layout, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
      EXPECT_EQ(c.max_seq_length, probe::steps);
      EXPECT_EQ(c.batch, static_cast<std::int32_t>(probe::lengths.size()));
      EXPECT_EQ(c.vector_size, probe::vector_size);
      EXPECT_EQ(c.x_data_type, CUDNN_DATA_HALF);
      EXPECT_EQ(lengths, probe::lengths);
      EXPECT_EQ(c.training, 1);
      EXPECT_EQ(call.training, 1u);
      EXPECT_EQ(call.weight_bytes, probe::weight_bytes);
      EXPECT_EQ(call.workspace_bytes, probe::workspace_bytes);
      EXPECT_EQ(call.reserve_bytes, probe::reserve_bytes);
      EXPECT_EQ(call.reserve_address, std::uint64_t{1} << 40);
      EXPECT_EQ(call.status == CUDNN_STATUS_SUCCESS, with_handle);
    }
    EXPECT_EQ(call.thread, static_cast<std::uint32_t>(s.header.pid));
    EXPECT_EQ(call.library, 1u);
    EXPECT_EQ(call.device, -1);
    EXPECT_GT(call.start_ns, 0);
    EXPECT_GE(call.start_ns, s.header.start_ns);
    EXPECT_GE(call.end_ns, call.start_ns);
  }
  const auto alignment = [&](std::size_t call) {
    return std::vector<int>(std::begin(s.calls[call].alignment), std::end(s.calls[call].alignment));
  };
  constexpr int none = 255;
  // x y hx hy cx cy weights workspace reserve dy dx dw; never more than a page.
  EXPECT_EQ(s.calls[0].entry, Entry::forward);
  EXPECT_THAT(alignment(0), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 12, none, none, none));
  EXPECT_EQ(s.calls[0].flags,
            spool::call_c_not_packed | spool::call_dev_lengths | spool::call_untraced);
  EXPECT_EQ(s.calls[1].entry, Entry::backward_data);
  EXPECT_THAT(alignment(1), ElementsAre(none, 1, 4, 5, 7, 8, 10, 11, 12, 2, 3, none));
  EXPECT_EQ(s.calls[1].flags, spool::call_c_not_packed | spool::call_untraced);
  EXPECT_EQ(s.calls[2].entry, Entry::backward_weights);
  EXPECT_THAT(alignment(2), ElementsAre(1, 2, none, none, none, none, none, 10, 12, none, none, 9));
  EXPECT_EQ(s.calls[2].flags, spool::call_wgrad_set | spool::call_untraced);
  EXPECT_EQ(s.calls[3].entry, Entry::build_dynamic);
  EXPECT_THAT(alignment(3), Each(none));
  EXPECT_EQ(s.header.calls, 3u);
  EXPECT_EQ(s.entries(Entry::forward), 1u);
  EXPECT_EQ(s.entries(Entry::backward_data), 1u);
  EXPECT_EQ(s.entries(Entry::backward_weights), 1u);
  EXPECT_EQ(s.entries(Entry::build_dynamic), 1u);
  EXPECT_EQ(s.entries(Entry::set_clip), 1u);
  EXPECT_EQ(s.entries(Entry::set_rnn_descriptor), 2u);
  EXPECT_EQ(s.entries(Entry::set_rnn_data_descriptor), 4u);
  EXPECT_EQ(s.lost(), 0u);
}

TEST_P(Through, EveryFieldIsReadBack) {
  const auto result = child.run({"fields"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  expect_fields(s, true);
  ASSERT_THAT(s.libraries, SizeIs(1));
  EXPECT_EQ(s.libraries[0].version, 91977u);
  EXPECT_THAT(s.text(s.libraries[0].path), HasSubstr("libcudnn.so.9"));
  EXPECT_EQ(s.header.exit_status, 0);
  EXPECT_GT(s.header.end_ns, s.calls.back().end_ns);
  EXPECT_THAT(s.header.command_line, ElementsAre(PROBE_FILE, "fields"));
  EXPECT_EQ(s.header.executable, PROBE_FILE);
  EXPECT_THAT(text_of(result), IsEmpty());
}

// The same against the real cuDNN, whose descriptors need no GPU; its handle would.
TEST_P(Through, EveryFieldIsReadBackFromTheRealLibrary) {
  if (std::string(REAL_CUDNN_FOLDER).empty()) GTEST_SKIP() << "no libcudnn.so.9 on this machine";
  child.variable("LD_LIBRARY_PATH", REAL_CUDNN_FOLDER)
      .variable("PROBE_CUDNN_FILE", REAL_CUDNN_FOLDER "/libcudnn.so.9");
  const auto result = child.run({"fields"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  expect_fields(s, false);
  EXPECT_THAT(s.text(s.calls[0].reason), HasSubstr("!handle")) << "as cuDNN logged it";
  EXPECT_THAT(s.text(s.calls[1].reason), HasSubstr("!handle"));
  EXPECT_THAT(s.text(s.calls[2].reason), HasSubstr("addGrad == CUDNN_WGRAD_MODE_SET"));
  EXPECT_THAT(s.text(s.libraries[0].path), HasSubstr(REAL_CUDNN_FOLDER));
}

TEST_P(Through, ArgumentsArriveAsTheyWereGiven) {
  const auto result = child.run({"passed-on"});
  EXPECT_EQ(result.status, 0) << text_of(result);
}

TEST_P(Through, DescriptorsAreReadAtEachCall) {
  const auto result = child.run({"reuse"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  std::vector<std::int32_t> sizes;
  for (const auto& call : result.spool().calls)
    sizes.push_back(result.spool().shape(call).configuration.hidden_size);
  EXPECT_THAT(sizes, ElementsAre(64, 128, 192, 64, 128, 192, 64, 128, 192));
  EXPECT_THAT(result.spool().tables.configurations, SizeIs(3)) << "each is written once";
}

TEST_P(Through, DropoutAndTheEndsOfDescriptorsAreCountedAndKeptWhenRefused) {
  const auto result = child.run({"descriptors"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  const std::vector<Entry> entries = {Entry::set_dropout, Entry::restore_dropout,
                                      Entry::destroy_dropout, Entry::destroy_rnn_data_descriptor,
                                      Entry::destroy_rnn_descriptor};
  ASSERT_THAT(s.calls, SizeIs(entries.size())) << "those that went well are not written";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(s.entries(entries[i]), 4u) << i;
    EXPECT_EQ(s.calls[i].entry, entries[i]);
    EXPECT_EQ(s.calls[i].status, CUDNN_STATUS_BAD_PARAM);
    EXPECT_EQ(s.text(s.calls[i].reason), i < 2 ? "dropout > 1" : "descriptor == NULL");
    EXPECT_EQ(s.calls[i].configuration, 0u);
    EXPECT_EQ(s.calls[i].function, 0u);
  }
  EXPECT_EQ(s.header.calls, 0u) << "none of them runs a network";
  EXPECT_EQ(s.lost(), 0u);
}

TEST(CudnnHooks, SequenceLengthsAreKeptWhereTheyDiffer) {
  Child child(PROBE_FILE);
  const auto result = child.run({"lengths"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(5));
  const auto shape = [&](std::size_t call) { return s.shape(s.calls[call]); };
  const auto known = [&](std::size_t call) {
    return (shape(call).configuration.known & spool::known_lengths) != 0;
  };
  EXPECT_TRUE(known(0));
  EXPECT_THAT(shape(0).lengths, IsEmpty());
  EXPECT_TRUE(known(1));
  EXPECT_THAT(shape(1).lengths, ElementsAre(10, 4, 3));
  EXPECT_EQ(shape(2).configuration.batch, 40000);
  EXPECT_TRUE(known(2));
  EXPECT_THAT(shape(2).lengths, IsEmpty());
  // A list that is too long for a record is not known, rather than taken for equal lengths.
  EXPECT_EQ(shape(3).configuration.batch, 40000);
  EXPECT_FALSE(known(3));
  EXPECT_TRUE(known(4));
  ASSERT_THAT(shape(4).lengths, SizeIs(32768));
  EXPECT_EQ(shape(4).lengths[7], 3);
  EXPECT_EQ(s.lost(), 0u);
}

TEST(CudnnHooks, NoConfigurationIsLostWhenThereAreMany) {
  Child child(PROBE_FILE);
  const auto result = child.run({"many-configurations", "40000"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(40000));
  for (std::size_t i = 0; i < s.calls.size(); ++i)
    ASSERT_EQ(s.shape(s.calls[i]).configuration.hidden_size, static_cast<std::int32_t>(i + 1));
  EXPECT_EQ(s.lost(), 0u);
}

TEST(CudnnHooks, RefusalsAreKeptWithTheirOwnReason) {
  Child child(PROBE_FILE);
  const auto result = child.run({"refusals"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(6));
  std::vector<std::string> reasons;
  for (const auto& call : s.calls) reasons.push_back(s.text(call.reason));
  EXPECT_THAT(reasons, ElementsAre("projSize > hiddenSize", "maxSeqLength > (0x7fff * 2 + 1)",
                                   "lclip > rclip", "handle == NULL", "", "projSize > hiddenSize"));
  // What was asked for and refused is in no descriptor: it is read from the arguments of each
  // call.
  EXPECT_EQ(s.shape(s.calls[0]).configuration.projection_size, 65);
  EXPECT_EQ(s.shape(s.calls[0]).configuration.known, std::uint32_t{spool::known_descriptor});
  EXPECT_EQ(s.shape(s.calls[1]).configuration.max_seq_length, 70000);
  EXPECT_EQ(s.shape(s.calls[1]).configuration.known, std::uint32_t{spool::known_data});
  EXPECT_EQ(s.calls[1].status, CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(s.calls[4].status, CUDNN_STATUS_EXECUTION_FAILED);
}

TEST(CudnnHooks, TheRealLibrarysReasonsAreKept) {
  if (std::string(REAL_CUDNN_FOLDER).empty()) GTEST_SKIP() << "no libcudnn.so.9 on this machine";
  Child child(PROBE_FILE);
  const auto result = child.variable("LD_LIBRARY_PATH", REAL_CUDNN_FOLDER).run({"refusals"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(4));
  EXPECT_EQ(s.text(s.calls[0].reason), "projSize > hiddenSize");
  EXPECT_EQ(s.text(s.calls[1].reason), "maxSeqLength > (0x7fff * 2 + 1)");
  for (const auto& call : s.calls) EXPECT_THAT(s.text(call.reason), Not(IsEmpty()));
}

TEST(CudnnHooks, AProgramThatListensKeepsItsCallback) {
  Child child(PROBE_FILE);
  const auto result = child.run({"own-callback"});
  EXPECT_EQ(result.status, 0) << text_of(result);
  EXPECT_THAT(result.spool().calls, SizeIs(1));
}

TEST(CudnnHooks, CudnnsOwnLogIsNotReplaced) {
  Child child(PROBE_FILE);
  const auto result = child.variable("CUDNN_LOGLEVEL_DBG", "1").run({"refusals"});
  ASSERT_EQ(result.status, 0) << text_of(result);
  for (const auto& call : result.spool().calls) EXPECT_EQ(call.reason, 0u);
  EXPECT_EQ(result.spool().environment.at("CUDNN_LOGLEVEL_DBG"), "1");
}

TEST(CudnnHooks, WithoutASpoolNothingHappens) {
  Child child(PROBE_FILE);
  const auto result = child.without("RNNADVISOR_SPOOL").run({"fields"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(text_of(result), IsEmpty());
  EXPECT_THAT(result.spools, IsEmpty());
}

TEST(CudnnHooks, AFolderThatIsNotThereOrClosedChangesNothing) {
  for (const char* folder : {"/nonexistent/folder", "/proc", "relative/folder", ""}) {
    Child child(PROBE_FILE);
    const auto result = child.variable("RNNADVISOR_SPOOL", folder).run({"fields"});
    EXPECT_EQ(result.status, 0) << folder;
    EXPECT_THAT(text_of(result), IsEmpty()) << folder;
    EXPECT_THAT(result.spools, IsEmpty()) << folder;
  }
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
