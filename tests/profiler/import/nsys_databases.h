// Synthetic databases in three forms of Nsight Systems' export: of the training of one LSTM, four
// kernels in two RNN calls, a copy and two ranges. Tables and columns are those of NVIDIA's "SQLite
// Schema Reference" as far as the importer reads them; that it reads real exports is what
// read_public_exports.py shows.
#pragma once

#include <cstdint>
#include <string>

namespace rnnadvisor::import_trace::test {

enum class NsysSchema {
  y2020,  // TARGET_INFO_CUDA_GPU, no start of the session, names of ranges in the row
  y2022,  // schema 2.9: TARGET_INFO_GPU, start of the session
  y2025   // schema 3: TARGET_INFO_CUDA_DEVICE, CUDNN_EVENTS, graphs recorded as a whole
};

constexpr std::int64_t session_start_ns = 1'790'000'000'000'000'000;
constexpr std::int64_t pid = 4242, tid = 4300;
constexpr std::int64_t global_pid = (std::int64_t{1} << 48) + (pid << 24);

// Writes the database; `more`: SQL that is run on it at the end. False: SQLite refused something.
bool write_nsys_database(const std::string& path, NsysSchema schema, const std::string& more = {});

}  // namespace rnnadvisor::import_trace::test
