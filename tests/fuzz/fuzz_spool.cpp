// Any bytes as a spool: an error, or records that are as long as they say.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiler/spool/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor::spool;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto reader = Reader::from_bytes(bytes, "fuzz");
  if (!reader) {
    if (reader.error().message.empty()) std::abort();
    return 0;
  }
  const Tables tables = reader->read_tables();
  reader->visit([&](const Record& record) {
    if (record.type() == Type::string &&
        record.behind<String>().size() < record.as<String>().length)
      std::abort();
    if (record.type() == Type::kernel) (void)tables.text(record.as<Kernel>().name);
    return true;
  });
  return 0;
}
