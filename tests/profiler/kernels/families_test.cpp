#include "profiler/kernels/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rnnadvisor::classify {
namespace {

using ::testing::HasSubstr;

TEST(Families, TheShippedTableLoadsAndIdsAreUnique) {
  std::set<std::string> ids;
  for (const auto& family : families()) {
    EXPECT_TRUE(ids.insert(family.id).second) << family.id;
    EXPECT_FALSE(family.source.empty());
  }
  EXPECT_GT(ids.size(), 20U);
}

struct Mistake {
  const char* toml;
  const char* message;
  int line;
};

TEST(Families, MistakesAreNamedWithTheirPlace) {
  const std::vector<Mistake> mistakes = {
      {"x = 1", "has no [[family]]", 0},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrole = 'gemm'", "has no source", 1},
      {"[[family]]\nmatch = ['a']\nrole = 'gemm'\nsource = 's'", "needs an id", 1},
      {"[[family]]\nid = 'a'\nrole = 'gemm'\nsource = 's'", "match must be", 1},
      {"[[family]]\nid = 'a'\nmatch = ['']\nrole = 'gemm'\nsource = 's'", "match must be", 1},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrole = 'juggler'\nsource = 's'",
       "unknown role 'juggler'", 1},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrol = 'gemm'\nsource = 's'",
       "unknown key 'rol' did you mean 'role'?", 4},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrole = 'gemm'\nsource = 's'\nimplementation = 'fast'",
       "is no implementation", 6},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrole = 'gemm'\nsource = 's'\ntensor_cores = 'maybe'",
       "tensor_cores is", 6},
      {"[[family]]\nid = 'a'\nmatch = ['a']\nrole = 'gemm'\nsource = 's'\ntensor_cores = { "
       "argument = 0 }",
       "by argument", 6},
      {"[[family]]\nid = ", "", 2},
      {"x = 1\n[[=]]", "a table header needs a key", 2}};
  for (const auto& mistake : mistakes) {
    const auto read = read_families(mistake.toml, "f.toml");
    ASSERT_FALSE(read) << mistake.toml;
    EXPECT_EQ(read.error().code, ErrorCode::parse);
    EXPECT_THAT(read.error().message, HasSubstr(mistake.message));
    if (mistake.line > 0) {
      ASSERT_TRUE(read.error().where) << mistake.toml;
      EXPECT_EQ(read.error().where->line, mistake.line) << mistake.toml;
      EXPECT_EQ(read.error().where->file, "f.toml");
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::classify
