// The schema as people use it: the queries on docs/file-format.md and every view, on a generated
// profile.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "profiler/profile/file.h"
#include "profiler/profile/tables.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using Row = std::map<std::string, std::string>;

class Queries : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.file("a.rnnprof");
    ASSERT_TRUE(write_profile(testing::rich_profile(), path));
    ASSERT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  }
  void TearDown() override { sqlite3_close(database_); }

  std::vector<Row> query(const std::string& sql) {
    std::vector<Row> rows;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database_);
    int status = statement == nullptr ? SQLITE_ERROR : SQLITE_ROW;
    while (statement != nullptr && (status = sqlite3_step(statement)) == SQLITE_ROW) {
      Row row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        row[sqlite3_column_name(statement, i)] = text == nullptr ? "NULL" : text;
      }
      rows.push_back(std::move(row));
    }
    EXPECT_EQ(status, SQLITE_DONE) << sqlite3_errmsg(database_);
    sqlite3_finalize(statement);
    return rows;
  }

  testing::TemporaryDirectory directory_;
  sqlite3* database_ = nullptr;
};

std::vector<std::string> documented_queries() {
  std::ifstream page(RNNADVISOR_SOURCE_DIR "/docs/file-format.md");
  std::vector<std::string> queries;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```sql") {
      inside = true;
      queries.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      queries.back() += line + "\n";
    }
  }
  return queries;
}

TEST_F(Queries, EveryQueryOfTheDocumentationWorksAndAnswers) {
  const auto queries = documented_queries();
  EXPECT_GE(queries.size(), 10U);
  for (const auto& sql : queries) EXPECT_FALSE(query(sql).empty()) << sql;
}

TEST_F(Queries, EveryTableAndViewIsOnThePage) {
  std::ifstream page(RNNADVISOR_SOURCE_DIR "/docs/file-format.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  const auto names = query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')");
  EXPECT_GT(names.size(), 25U);
  for (const auto& row : names) EXPECT_THAT(text, ::testing::HasSubstr("`" + row.at("name") + "`"));
}

template <class Columns>
std::string row_of(std::string_view name, int since, const Columns& described,
                   std::string_view first = {}) {
  std::string row = fmt::format("| `{}` | {} | {}", name, since, first);
  columns::for_each(described, [&](const auto& column) {
    for (const auto& part : stored(column.kind)) {
      const std::string_view type = part.type;
      if (!row.ends_with("| ")) row += ", ";
      row += fmt::format("`{}{}`", column.name, part.suffix);
      using Kind = std::decay_t<decltype(column.kind)>;
      if constexpr (columns::is_id<Kind>)
        row += fmt::format(" → `{}`", columns::target_names[static_cast<std::size_t>(Kind::to)]);
      if (!type.ends_with("NOT NULL")) row += "?";
      if (column.since > since) row += fmt::format(" ({})", column.since);
    }
  });
  return row + " |\n";
}

std::string described_tables() {
  std::string text = "| table | since | columns |\n| --- | --- | --- |\n";
  columns::for_each(columns::row_tables, [&](const auto& table) {
    if constexpr (columns::is_parts<decltype(table)>) {
      text += row_of(table.name, table.since, table.columns,
                     fmt::format("`{}` → its table", table.owner));
    } else {
      text += row_of(table.name, table.since, table.columns);
    }
  });
  columns::for_each(columns::record_tables, [&](const auto& table) {
    if (table.kinds != nullptr)
      text += row_of(table.kinds, table.since, columns::only<true>(table.columns));
    text += row_of(table.name, table.since, columns::only<false>(table.columns),
                   table.kinds != nullptr ? fmt::format("`kind` → `{}`", table.kinds) : "");
  });
  return text + row_of("finding_records", 1, columns::findings);
}

// RNNADVISOR_UPDATE_GOLDEN=1 writes the page anew.
TEST(Schema, TheTableOfColumnsOnThePageIsThatOfTheProgram) {
  const std::string path = RNNADVISOR_SOURCE_DIR "/docs/file-format.md";
  std::string page = testing::read_bytes(path);
  const auto begin = page.find("| table | since | columns |"), end = page.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  const std::string described = described_tables();
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN") != nullptr) {
    testing::write_bytes(path, page.replace(begin, end + 1 - begin, described));
  } else {
    EXPECT_EQ(page.substr(begin, end + 1 - begin), described);
  }
}

// A column that is new needs a new version, and a version is new for something.
TEST(Schema, TheNewestColumnIsOfThisVersion) {
  int newest = 6;  // the checksum's
  columns::for_each_table([&](const auto& table) {
    newest = std::max(newest, table.since);
    columns::for_each(table.columns,
                      [&](const auto& column) { newest = std::max(newest, column.since); });
  });
  EXPECT_EQ(newest, rnnprof_schema_version);
}

TEST_F(Queries, TheHeaderSaysWhatItIs) {
  EXPECT_EQ(query("PRAGMA application_id")[0].at("application_id"), std::to_string(0x524e4e50));
  EXPECT_EQ(query("PRAGMA user_version")[0].at("user_version"),
            std::to_string(rnnprof_schema_version));
  EXPECT_EQ(query("PRAGMA journal_mode")[0].at("journal_mode"), "delete");
  EXPECT_EQ(query("SELECT value FROM meta WHERE key='schema_version'")[0].at("value"),
            std::to_string(rnnprof_schema_version));
}

TEST_F(Queries, RnnCallsJoinConfigurationAndKernels) {
  const auto rows = query("SELECT * FROM rnn_calls");
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[1].at("phase"), "forward_training");
  EXPECT_EQ(rows[1].at("algo"), "standard");
  EXPECT_EQ(rows[1].at("seq_length"), "8");
  EXPECT_EQ(rows[1].at("kernels"), "2");
  EXPECT_EQ(rows[1].at("host_ms"), "0.005");
  EXPECT_EQ(rows[1].at("kernel_ms"), "0.001245");
  EXPECT_EQ(rows[1].at("gpu_ms"), "0.001245");
  EXPECT_EQ(rows[1].at("source"), "run");
  EXPECT_EQ(rows[1].at("device_ms"), "NULL");
  EXPECT_EQ(rows[1].at("file"), "NULL");
  EXPECT_EQ(rows[1].at("nvtx_path"), "step 17/lstm");
  EXPECT_EQ(rows[8].at("configuration"), "NULL");
  EXPECT_EQ(rows[8].at("kernels"), "2");
}

TEST_F(Queries, RnnCallsTellWhatAHookSaw) {
  const auto rows = query("SELECT * FROM rnn_calls");
  const Row& call = rows[4];
  EXPECT_EQ(call.at("source"), "hook");
  EXPECT_EQ(call.at("graph"), "captured");
  EXPECT_EQ(call.at("status"), "4");
  EXPECT_EQ(call.at("reason"), "maxSeqLength > (0x7fff * 2 + 1)");
  EXPECT_EQ(call.at("device_ms"), "0.001304");
  EXPECT_EQ(call.at("weights_bytes"), "9004");
  EXPECT_EQ(call.at("alignment"), "4") << "null pointers do not count";
  EXPECT_EQ(call.at("contiguous"), "0");
  EXPECT_EQ(call.at("seq_lengths"), "[8,5,0]");
  EXPECT_EQ(call.at("pid"), "4711");
  EXPECT_EQ(call.at("rank"), "3");
  EXPECT_EQ(call.at("nvtx_path"), "epoch 1/step 2");
  EXPECT_EQ(call.at("file"), "/home/u/train.py");
  EXPECT_EQ(call.at("line"), "10");
  EXPECT_EQ(call.at("function"), "Model.forward");
  EXPECT_EQ(rows[2].at("contiguous"), "NULL");
}

TEST_F(Queries, NvtxSpellsCategoryColourAndPayload) {
  const auto rows = query("SELECT * FROM nvtx ORDER BY start_ns, depth");
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0].at("category"), "7");
  EXPECT_EQ(rows[0].at("argb"), "#11223344");
  EXPECT_EQ(rows[0].at("payload"), "NULL");
  EXPECT_EQ(rows[1].at("argb"), "#FFFFFFFF");
  EXPECT_EQ(rows[1].at("payload"), "-5");
  EXPECT_EQ(rows[2].at("argb"), "NULL");
  EXPECT_EQ(rows[2].at("payload"), "0.25");
  EXPECT_EQ(rows[3].at("payload"), "nan");
  EXPECT_EQ(rows[4].at("payload"), "18446744073709551615");
}

TEST_F(Queries, KernelsSpellNamesOut) {
  const auto rows = query("SELECT * FROM kernels");
  ASSERT_EQ(rows.size(), testing::rich_profile().kernels.size());
  EXPECT_EQ(rows[0].at("name"), "void elsewhere::kernel<float>(float*, int)");
  EXPECT_EQ(rows[0].at("role"), "unknown");
  EXPECT_EQ(rows[0].at("call"), "-1");
  EXPECT_EQ(rows[0].at("phase"), "NULL");
  EXPECT_EQ(rows[0].at("start_ns"), "0");
  EXPECT_EQ(rows[1].at("role"), "pointwise");
  EXPECT_EQ(rows[1].at("family"), "standard");
  EXPECT_EQ(rows[1].at("block_y"), "4");
}

TEST_F(Queries, KernelSummaryAddsUp) {
  const auto rows = query("SELECT sum(count) AS n, sum(total_us) AS us FROM kernel_summary");
  const auto direct =
      query("SELECT count(*) AS n, sum(duration_ns) / 1e3 AS us FROM kernel_records");
  EXPECT_EQ(rows[0].at("n"), direct[0].at("n"));
  EXPECT_NEAR(std::stod(rows[0].at("us")), std::stod(direct[0].at("us")), 1e-6);
}

TEST_F(Queries, FieldsOfTheConfigurationAreColumns) {
  const auto rows = query(
      "SELECT name, cell, algo, data_type, hidden_size, batch_size, json_extract(json, "
      "'$.batch_size') AS "
      "batch FROM configurations ORDER BY id");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].at("name"), "persistent");
  EXPECT_EQ(rows[1].at("algo"), "persist_static");
  EXPECT_EQ(rows[1].at("data_type"), "half");
  EXPECT_EQ(rows[1].at("batch_size"), "3");
  EXPECT_EQ(rows[1].at("batch"), "3");
}

TEST_F(Queries, SamplesAreJson) {
  const auto rows = query(
      "SELECT count(*) AS n, max(value) AS most FROM configuration_timings, json_each(samples_ms) "
      "WHERE phase='forward_training'");
  EXPECT_EQ(rows[0].at("n"), "3");
  EXPECT_EQ(rows[0].at("most"), "0.11");
}

TEST(Findings, AreAViewWithTheNameOfTheirConfiguration) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  ASSERT_TRUE(write_profile(testing::rich_profile(), path));
  const std::vector<FindingRow> findings = {
      {1, "a/b", "warning", "documented", "t", "m", "s", 1.5, "modelled"}};
  ASSERT_TRUE(write_findings(path, findings));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  std::string found;
  const auto append = [](void* text, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(text) += std::string(values[i]) + "|";
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, "SELECT configuration, rule, severity, speedup FROM findings",
                         append, &found, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(found, "persistent|a/b|warning|1.5|");
}

}  // namespace
}  // namespace rnnadvisor
