// What programs do with cuDNN's functions.
#include <errno.h>

#include <atomic>
#include <thread>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/probe/values.h"
#include "tests/profiler/plugin/standin/cudnn_standin.h"

namespace probe {
namespace {

void set_fields(const Cudnn& t, Rnn& r) {
  float fill = -7;
  if (r.handle != nullptr)
    t.cudnnSetDropoutDescriptor(r.dropout, r.handle, dropout, at(12), 1 << 20, dropout_seed);
  PROBE_CHECK(t.cudnnSetRNNDescriptor_v8(
                  r.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_SINGLE_REC_BIAS,
                  CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT,
                  CUDNN_TENSOR_OP_MATH, input_size, hidden_size, projection_size, layers,
                  r.handle != nullptr ? r.dropout : nullptr,
                  CUDNN_RNN_PADDED_IO_ENABLED) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(t.cudnnRNNSetClip_v9(r.rnn, CUDNN_RNN_CLIP_MINMAX, clip_low, clip_high) ==
              CUDNN_STATUS_SUCCESS);
  for (auto* descriptor : {r.x, r.y})
    PROBE_CHECK(t.cudnnSetRNNDataDescriptor(descriptor, CUDNN_DATA_HALF,
                                            CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, steps,
                                            static_cast<int>(lengths.size()), vector_size,
                                            lengths.data(), &fill) == CUDNN_STATUS_SUCCESS);
}

}  // namespace

// Every field of a configuration and of a call. Without a handle, as with the real library on a
// machine without a GPU, the calls are refused and all the same described.
PROBE_MODE(fields, "fields") {
  const Cudnn& t = cudnn();
  Rnn r(t);
  set_fields(t, r);
  const int sizes[3] = {6, 5, 16}, packed[3] = {80, 16, 1}, other[3] = {160, 32, 1};
  t.cudnnSetTensorNdDescriptor(r.h, CUDNN_DATA_HALF, 3, sizes, packed);
  t.cudnnSetTensorNdDescriptor(r.c, CUDNN_DATA_HALF, 3, sizes, other);
  const auto status = r.handle != nullptr ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  PROBE_CHECK(t.cudnnRNNForward(r.handle, r.rnn, CUDNN_FWD_MODE_TRAINING,
                                static_cast<std::int32_t*>(at(3)), r.x, at(1), r.y, at(2), r.h,
                                at(3), at(4), r.c, at(5), at(6), weight_bytes, at(7),
                                workspace_bytes, at(8), reserve_bytes, at(40)) == status);
  PROBE_CHECK(t.cudnnRNNBackwardData_v8(r.handle, r.rnn, nullptr, r.y, at(1), at(2), r.x, at(3),
                                        r.h, at(4), at(5), at(6), r.c, at(7), at(8), at(9),
                                        weight_bytes, at(10), workspace_bytes, at(11),
                                        reserve_bytes, at(40)) == status);
  const auto last = t.cudnnRNNBackwardWeights_v8(
      r.handle, r.rnn, CUDNN_WGRAD_MODE_SET, nullptr, r.x, at(1), r.h, nullptr, r.y, at(2),
      weight_bytes, at(9), workspace_bytes, at(10), reserve_bytes, at(40));
  PROBE_CHECK((last == CUDNN_STATUS_SUCCESS) == (r.handle != nullptr));
  t.cudnnBuildRNNDynamic(r.handle, r.rnn, 5);
  return 0;
}

// What the program passes arrives, in every place, once.
PROBE_MODE(passed_on, "passed-on") {
  const Cudnn& t = cudnn();
  auto* const calls = standin<std::uint64_t()>(PROBE_CUDNN_NAME, "standin_calls");
  auto* const seen = standin<std::uint64_t()>(PROBE_CUDNN_NAME, "standin_arguments");
  PROBE_CHECK(calls != nullptr && seen != nullptr);
  Rnn r(t);
  std::uint64_t before = calls();
  const auto arrived = [&](auto function, auto... passed) {
    function(passed...);
    const bool once = calls() == before + 1;
    before = calls();
    return once && seen() == fold_arguments(passed...);
  };
  std::size_t bytes[2] = {};
  int lengths_here[2] = {3, 2};
  void* fill = bytes;
  PROBE_CHECK(arrived(t.cudnnSetRNNDescriptor_v8, r.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU,
                      CUDNN_RNN_SINGLE_INP_BIAS, CUDNN_BIDIRECTIONAL, CUDNN_SKIP_INPUT,
                      CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_FMA_MATH, 11, 12, 10, 14,
                      r.dropout, 1u));
  PROBE_CHECK(arrived(t.cudnnSetRNNDataDescriptor, r.x, CUDNN_DATA_DOUBLE,
                      CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 3, 2, 7,
                      static_cast<const int*>(lengths_here), fill));
  PROBE_CHECK(arrived(t.cudnnGetRNNTempSpaceSizes, r.handle, r.rnn, CUDNN_FWD_MODE_TRAINING, r.x,
                      &bytes[0], &bytes[1]));
  PROBE_CHECK(bytes[0] == 4096 && bytes[1] == 8192);
  PROBE_CHECK(arrived(t.cudnnBuildRNNDynamic, r.handle, r.rnn, 77));
  PROBE_CHECK(
      arrived(t.cudnnRNNSetClip_v8, r.rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -1.5, 2.5));
  PROBE_CHECK(arrived(t.cudnnRNNSetClip_v9, r.rnn, CUDNN_RNN_CLIP_MINMAX, -3.5, 4.5));
  const auto* in = static_cast<const void*>(at(4));
  PROBE_CHECK(arrived(t.cudnnRNNForward, r.handle, r.rnn, CUDNN_FWD_MODE_TRAINING,
                      static_cast<const std::int32_t*>(at(5)), r.x, in, r.y, at(7), r.h,
                      static_cast<const void*>(at(8)), at(9), r.c, static_cast<const void*>(at(10)),
                      at(11), std::size_t{12}, static_cast<const void*>(at(13)), std::size_t{14},
                      at(15), std::size_t{16}, at(17)));
  PROBE_CHECK(arrived(
      t.cudnnRNNBackwardData_v8, r.handle, r.rnn, static_cast<const std::int32_t*>(at(5)), r.y, in,
      static_cast<const void*>(at(6)), r.x, at(7), r.h, static_cast<const void*>(at(8)),
      static_cast<const void*>(at(9)), at(10), r.c, static_cast<const void*>(at(11)),
      static_cast<const void*>(at(12)), at(13), std::size_t{14}, static_cast<const void*>(at(15)),
      std::size_t{16}, at(17), std::size_t{18}, at(19)));
  PROBE_CHECK(arrived(t.cudnnRNNBackwardWeights_v8, r.handle, r.rnn, CUDNN_WGRAD_MODE_ADD,
                      static_cast<const std::int32_t*>(at(5)), r.x, in, r.h,
                      static_cast<const void*>(at(6)), r.y, static_cast<const void*>(at(7)),
                      std::size_t{8}, at(9), std::size_t{10}, at(11), std::size_t{12}, at(13)));
  return 0;
}

// The same descriptors with other values: their addresses say nothing.
PROBE_MODE(reuse, "reuse") {
  Rnn r(cudnn());
  for (int i = 0; i < 3; ++i) {
    for (const std::int32_t hidden : {64, 128, 192}) {
      r.set(hidden);
      PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    }
  }
  return 0;
}

PROBE_MODE(sequence_lengths, "lengths") {
  Rnn r(cudnn());
  std::vector<int> many(40000, 10), mixed(40000, 10), most(32768, 10);
  mixed[39999] = most[7] = 3;
  for (const auto& list : {std::vector<int>{10, 10, 10}, {10, 4, 3}, many, mixed, most}) {
    r.set_data(10, list);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  }
  return 0;
}

// More configurations than the plugin has places for, as batches of texts make.
PROBE_MODE(many_configurations, "many-configurations") {
  const int count = std::stoi(arguments.at(1));
  Rnn r(cudnn());
  for (int i = 1; i <= count; ++i) {
    r.set(i);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  }
  return 0;
}

PROBE_MODE(threads, "threads") {
  const int count = std::stoi(arguments.at(1)), each = std::stoi(arguments.at(2));
  std::vector<std::thread> running;
  for (int i = 0; i < count; ++i) {
    running.emplace_back([i, each] {
      Rnn r(cudnn(), 8 * (i % 4 + 1));
      for (int n = 0; n < each; ++n) {
        errno = 1000 + i;
        PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
        PROBE_CHECK(errno == 1000 + i);
      }
    });
  }
  for (auto& thread : running) thread.join();
  return 0;
}

// More threads one after the other than chunks are kept for.
PROBE_MODE(short_threads, "short-threads") {
  for (int i = 0; i < 300; ++i) {
    std::thread([] {
      Rnn r(cudnn());
      PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    }).join();
  }
  return 0;
}

// Every kind of refusal, and what cuDNN says of it. A reason belongs to its own call alone.
PROBE_MODE(refusals, "refusals") {
  const Cudnn& t = cudnn();
  Rnn r(t);
  float fill = 0;
  const int lengths_here[1] = {70000};
  const auto set = [&](std::int32_t projection) {
    return t.cudnnSetRNNDescriptor_v8(r.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                      CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL,
                                      CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                      CUDNN_DEFAULT_MATH, 32, 64, projection, 1, nullptr, 0);
  };
  PROBE_CHECK(set(65) == CUDNN_STATUS_NOT_SUPPORTED);
  PROBE_CHECK(t.cudnnSetRNNDataDescriptor(r.x, CUDNN_DATA_FLOAT,
                                          CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 70000, 1, 32,
                                          lengths_here, &fill) == CUDNN_STATUS_NOT_SUPPORTED);
  PROBE_CHECK(t.cudnnRNNSetClip_v9(r.rnn, CUDNN_RNN_CLIP_MINMAX, 2, 1) == CUDNN_STATUS_BAD_PARAM);
  const auto handle = r.handle;
  r.handle = nullptr;
  PROBE_CHECK(r.forward() == CUDNN_STATUS_BAD_PARAM);
  if (handle == nullptr) return 0;  // the real library
  r.handle = handle;
  // The refusal of another caller, which nothing records, and then one without a reason.
  PROBE_CHECK(t.cudnnSetTensorNdDescriptor(r.h, CUDNN_DATA_FLOAT, 0, nullptr, nullptr) ==
              CUDNN_STATUS_BAD_PARAM);
  standin<void(int)>(PROBE_CUDNN_NAME, "standin_fail_next")(CUDNN_STATUS_EXECUTION_FAILED);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_EXECUTION_FAILED);
  PROBE_CHECK(set(65) == CUDNN_STATUS_NOT_SUPPORTED);
  return 0;
}

// Dropout descriptors and the ends of descriptors: what is passed arrives, and each is refused
// once.
PROBE_MODE(descriptor_ends, "descriptors") {
  const Cudnn& t = cudnn();
  auto* const calls = standin<std::uint64_t()>(PROBE_CUDNN_NAME, "standin_calls");
  auto* const seen = standin<std::uint64_t()>(PROBE_CUDNN_NAME, "standin_arguments");
  for (int i = 0; i < 3; ++i) {
    Rnn r(t);
    std::uint64_t before = calls();
    const auto arrived = [&](auto function, auto... passed) {
      PROBE_CHECK(function(passed...) == CUDNN_STATUS_SUCCESS);
      PROBE_CHECK(calls() == ++before);
      PROBE_CHECK(seen() == fold_arguments(passed...));
    };
    arrived(t.cudnnSetDropoutDescriptor, r.dropout, r.handle, 0.25F, at(12), std::size_t{1} << 20,
            dropout_seed);
    arrived(t.cudnnRestoreDropoutDescriptor, r.dropout, r.handle, 0.5F, at(13),
            std::size_t{1} << 21, dropout_seed + 1);
    arrived(t.cudnnDestroyDropoutDescriptor, r.dropout);
    arrived(t.cudnnDestroyRNNDataDescriptor, r.y);
    arrived(t.cudnnDestroyRNNDescriptor, r.rnn);
  }
  Rnn r(t);
  constexpr auto bad = CUDNN_STATUS_BAD_PARAM;
  PROBE_CHECK(t.cudnnSetDropoutDescriptor(r.dropout, r.handle, 2, nullptr, 0, 0) == bad);
  PROBE_CHECK(t.cudnnRestoreDropoutDescriptor(r.dropout, r.handle, -1, nullptr, 0, 0) == bad);
  PROBE_CHECK(t.cudnnDestroyDropoutDescriptor(nullptr) == bad);
  PROBE_CHECK(t.cudnnDestroyRNNDataDescriptor(nullptr) == bad);
  PROBE_CHECK(t.cudnnDestroyRNNDescriptor(nullptr) == bad);
  return 0;
}

// A program that listens itself: its callback gets everything, before and after our calls.
PROBE_MODE(own_callback, "own-callback") {
  const Cudnn& t = cudnn();
  static std::atomic<int> heard{0};
  t.cudnnSetCallback(CUDNN_SEV_ERROR_EN, nullptr,
                     [](cudnnSeverity_t, void*, const cudnnDebug_t*, const char*) { ++heard; });
  Rnn r(t);
  r.handle = nullptr;
  PROBE_CHECK(r.forward() == CUDNN_STATUS_BAD_PARAM);
  PROBE_CHECK(heard == 1);
  return 0;
}

PROBE_MODE(forward_calls, "forward") {
  const int count = arguments.size() > 1 ? std::stoi(arguments[1]) : 1;
  Rnn r(cudnn());
  for (int i = 0; i < count; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

PROBE_MODE(nothing, "nothing") { return 0; }

}  // namespace probe
