// The model of PyTorch's memory against PyTorch's own account on a GPU.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "tests/core/model/torch_errors.h"

namespace rnnadvisor::test {
namespace {

struct Read {
  std::vector<TorchRow> rows;
  std::vector<std::string> wrong;
  int unmeasured = 0;
};

Read read_rows(const std::string& path) {
  Read read;
  add_torch_rows(path, read.rows, read.unmeasured, read.wrong);
  return read;
}

std::string measured_file() {
  return std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/torch-peak.jsonl";
}

TEST(MeasuredTorchSteps, BothPeaksAreEqualToTheByte) {
  const Read read = read_rows(measured_file());
  EXPECT_THAT(read.wrong, ::testing::IsEmpty());
  EXPECT_EQ(read.unmeasured, 0);
  EXPECT_EQ(read.rows.size(), 17U);
  for (const auto& row : read.rows) {
    EXPECT_EQ(row.model_allocated, row.allocated) << row.id;
    EXPECT_EQ(row.model_reserved, row.reserved) << row.id;
  }
}

// Drawn with another seed and measured after the model was made: the proof.
TEST(MeasuredTorchSteps, RowsThatTheModelWasNotMadeForAreEqualToo) {
  const Read read =
      read_rows(std::string(RNNADVISOR_SOURCE_DIR) + "/tests/data/h200/torch-peak-second.jsonl");
  EXPECT_THAT(read.wrong, ::testing::IsEmpty());
  EXPECT_EQ(read.rows.size(), 37U);
  for (const auto& row : read.rows) {
    EXPECT_EQ(row.model_allocated, row.allocated) << row.id;
    EXPECT_EQ(row.model_reserved, row.reserved) << row.id;
  }
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MeasuredTorchSteps, TheTableInTheDocumentIsTheseRows) {
  const std::string path = RNNADVISOR_SOURCE_DIR "/docs/models.md";
  const std::string table = torch_error_table(read_rows(measured_file()).rows);
  std::string text = file_text(path);
  const std::string begin = "<!-- torch errors -->\n";
  const auto from = text.find(begin);
  const auto to = text.find("<!-- end -->", from);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const auto start = from + begin.size();
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    text.replace(start, to - start, table);
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(text.substr(start, text.find("<!-- end -->", from) - start), table)
      << "RNNADVISOR_UPDATE_GOLDEN=1 writes " << path;
}

// The comparison itself: it sees a peak that is not PyTorch's, and lines that are none.
TEST(TorchErrors, AreSeen) {
  const std::string path = ::testing::TempDir() + "/torch_errors_test.jsonl";
  std::ifstream rows(measured_file());
  std::ofstream out(path);
  out << "# a comment\n";
  std::string line;
  for (int number = 0; std::getline(rows, line) && number < 3; ++number) {
    auto row = nlohmann::json::parse(line);
    if (number == 1) row["torch"]["allocated"] = row["torch"]["allocated"].get<std::int64_t>() / 2;
    if (number == 2) row["error"] = "CUDA error";
    out << row.dump() << "\n";
  }
  out << R"({"id": "x", "cell": "lstm", "input_size": 8, "hidden_size": 8, "torch": {}})"
      << "\nno JSON\n";
  out.close();
  const Read read = read_rows(path);
  std::remove(path.c_str());
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.unmeasured, 1);
  EXPECT_EQ(read.wrong.size(), 2U);
  EXPECT_EQ(read.rows[0].allocated_error(), 0);
  EXPECT_NEAR(read.rows[1].allocated_error(), 1, 1e-6);
  EXPECT_EQ(quantile(allocated_errors(read.rows), 1), read.rows[1].allocated_error());
  EXPECT_THAT(torch_error_table(read.rows), ::testing::HasSubstr("| all | 2 | 1 |"));
}

}  // namespace
}  // namespace rnnadvisor::test
