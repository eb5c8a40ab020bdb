// write_profile(): the profile into the tables of tables.h, in one transaction on a fresh file.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/embedded.h"
#include "core/base/out_of_memory.h"
#include "core/base/output_file.h"
#include "core/config/read_config.h"
#include "profiler/profile/check.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "profiler/profile/file_columns.h"
#include "profiler/profile/file_parts.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace embedded {
std::span<const EmbeddedFile> profile_schema();
}

namespace {

using columns::is_parts;
using sqlite::Inserter;

// CREATE TABLE of the columns behind what `first` has as SQL.
template <class Columns>
void declare(std::string& sql, std::string_view name, const Columns& described,
             std::string_view first = {}) {
  sql += fmt::format("CREATE TABLE {}(id INTEGER PRIMARY KEY{}", name, first);
  columns::for_each(described, [&](const auto& column) {
    for (const auto& part : stored(column.kind)) {
      sql += fmt::format(", {}", columns::sql_name(std::string(column.name) + part.suffix));
      if (*part.type != 0) sql += fmt::format(" {}", part.type);
    }
  });
  sql += ");\n";
}

// The schema as SQL.
std::string schema_sql() {
  const auto files = embedded::profile_schema();
  std::string sql = files.empty() ? std::string() : std::string(files.front().text);
  for_each(columns::row_tables, [&](const auto& table) {
    if constexpr (is_parts<decltype(table)>) {
      declare(sql, table.name, table.columns, fmt::format(", {} INTEGER NOT NULL", table.owner));
    } else {
      declare(sql, table.name, table.columns);
    }
  });
  for_each(columns::record_tables, [&](const auto& table) {
    if (table.kinds != nullptr) declare(sql, table.kinds, columns::only<true>(table.columns));
    declare(sql, table.name, columns::only<false>(table.columns),
            table.kinds != nullptr ? ", kind INTEGER NOT NULL" : "");
  });
  declare(sql, "finding_records", columns::findings);
  return sql;
}

// The earliest time in the profile: stored times count from it and stay short.
std::int64_t time_origin(const Profile& p) {
  std::int64_t origin = latest_time_ns;
  columns::for_each_table([&](const auto& table) {
    if constexpr (!is_parts<decltype(table)>) {
      const auto& rows = table.of(p);
      for_each(table.columns, [&](const auto& column) {
        if constexpr (columns::is_start<std::decay_t<decltype(column.kind)>>) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            origin = std::min(origin, cell(column.of, rows, i));
        }
      });
    }
  });
  return origin == latest_time_ns ? 0 : origin;
}

class Writer {
 public:
  Writer(const Profile& profile, sqlite3* database)
      : p_(profile), database_(database), origin_(time_origin(profile)) {}

  Result<void> write() {
    // Small pages for small profiles: every table takes at least one, and samples are kept under
    // version control.
    const bool large = p_.kernels.size() + p_.api.size() > 50000;
    const std::string header =
        fmt::format("PRAGMA page_size={}; PRAGMA application_id={}; PRAGMA user_version={}",
                    large ? 8192 : 1024, rnnprof_application_id, rnnprof_schema_version);
    if (auto done = sqlite::execute(database_, header.c_str()); !done) return done;
    if (auto done = sqlite::execute(database_, "BEGIN"); !done) return done;
    if (auto done = sqlite::execute(database_, schema_sql().c_str()); !done) return done;
    // Table by table and in the order of their ids: every page is filled, so that a VACUUM would
    // gain nothing.
    bool written = checksum() && meta() && environment();
    for_each(columns::row_tables, [&](const auto& table) { written = written && rows(table); });
    for_each(columns::record_tables,
             [&](const auto& table) { written = written && records(table); });
    if (!written) return fail(sqlite::error_of(database_, "cannot be written"));
    return sqlite::execute(database_, "COMMIT");
  }

 private:
  // Its value is known when the file is closed.
  bool checksum() {
    Inserter insert(database_, "checksum", 2);
    insert.row(1, sqlite::Blob{unsealed_checksum});
    return insert.ok();
  }

  bool meta() {
    Inserter insert(database_, "meta", 2);
    insert.row("schema_version", rnnprof_schema_version);
    insert.row("time_origin_ns", origin_);
    return insert.ok();
  }

  bool environment() {
    Inserter insert(database_, "environment", 2);
    for (const auto& [key, text] : columns::environment_texts)
      insert.row(key, p_.environment.*text);
    for (const auto& [key, flag] : columns::environment_flags)
      insert.row(key, p_.environment.*flag);
    return insert.ok();
  }

  template <class Of, class Columns>
  bool rows(const columns::Table<Of, Columns>& table) {
    const auto& rows = table.of(p_);
    Inserter insert(database_, table.name, 1 + columns::width(table.columns));
    for (std::size_t i = 0; i < rows.size() && insert.ok(); ++i)
      insert_row(insert, table.columns, rows, i, origin_, i);
    return insert.ok();
  }

  template <class Owners, class Of, class Take, class Columns>
  bool rows(const columns::Parts<Owners, Of, Take, Columns>& table) {
    const auto& owners = table.owners(p_);
    Inserter insert(database_, table.name, 2 + columns::width(table.columns));
    std::size_t id = 0;
    for (std::size_t owner = 0; owner < owners.size() && insert.ok(); ++owner) {
      const auto& parts = table.of(owners[owner]);
      for (std::size_t i = 0; i < parts.size(); ++i)
        insert_row(insert, table.columns, parts, i, origin_, id++, owner);
    }
    return insert.ok();
  }

  template <class Of, class Columns>
  bool records(const columns::Table<Of, Columns>& table) {
    if (table.kinds == nullptr) return rows(table);
    const auto& rows = table.of(p_);
    const auto shared = columns::only<true>(table.columns);
    const auto own = columns::only<false>(table.columns);
    const auto key_of = [&](std::size_t row) {
      return std::apply(
          [&](const auto&... each) { return std::make_tuple(cell(each.of, rows, row)...); },
          shared);
    };
    std::map<decltype(key_of(0)), std::size_t> kinds;
    Inserter kind_rows(database_, table.kinds, 1 + columns::width(shared));
    Inserter records(database_, table.name, 2 + columns::width(own));
    for (std::size_t i = 0; i < rows.size() && kind_rows.ok() && records.ok(); ++i) {
      const auto [at, is_new] = kinds.try_emplace(key_of(i), kinds.size());
      if (is_new) columns::insert_row(kind_rows, shared, rows, i, origin_, at->second);
      columns::insert_row(records, own, rows, i, origin_, i, at->second);
    }
    return kind_rows.ok() && records.ok();
  }

  const Profile& p_;
  sqlite3* database_;
  std::int64_t origin_;
};

// Whether the reader would take every configuration: a profile that can be written can be read.
Result<void> check_configurations_read_back(const Profile& profile) {
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const auto& f = profile.configurations[i];
    const ConfigInput input{f.config, f.program, {}};
    const auto back = read_json_line(to_json_line(input), "configuration", 1);
    if (back && back->config == input.config && back->program == input.program) continue;
    return fail(ErrorCode::internal,
                fmt::format("configuration {} ({}) does not survive being written: {}", i,
                            f.config.id, back ? "a field changed" : to_text(back.error())));
  }
  return {};
}

}  // namespace

Result<void> write_profile(const Profile& profile, const std::string& path, bool replace) {
  return or_out_of_memory(path, [&]() -> Result<void> {
    auto written = check_profile(profile, ErrorCode::internal);
    if (written) written = check_configurations_read_back(profile);
    if (!written) return fail(about_file(std::move(written.error()), path));
    return replace_profile(path, replace, [&](const std::string& temporary) -> Result<void> {
      auto database = sqlite::open_for_writing(temporary);
      if (!database) return fail(std::move(database.error()));
      return Writer(profile, database->get()).write();
    });
  });
}

Result<void> replace_profile(
    const std::string& path, bool replace,
    const std::function<Result<void>(const std::string& temporary)>& fill) {
  // Command lines, host names and paths of the program are private.
  auto file = OutputFile::open(path, {.replace = replace, .owner_only = true});
  if (!file) return fail(std::move(file.error()));
  if (file->temporary().empty()) {
    return fail(about_file(
        {ErrorCode::io, "it is not a regular file", "choose another name", std::nullopt, {}},
        path));
  }
  auto filled = fill(file->temporary());
  if (filled) filled = seal(file->temporary());
  if (!filled) return fail(about_file(std::move(filled.error()), path));
  return file->commit();
}

}  // namespace rnnadvisor
