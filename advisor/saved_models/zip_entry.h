// One file of a ZIP archive, stored or deflated. Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3
// and 4.5.3 (ZIP64).
#pragma once

#include <string>
#include <string_view>

#include "core/base/file_bytes.h"

namespace rnnadvisor::advisor {

// Reading ends with an error where the file is larger than `most` bytes, whatever the archive says
// of its size. ErrorCode::not_found: the archive has no such file.
Result<std::string> read_zip_entry(FileBytes& archive, std::string_view name, std::size_t most);

}  // namespace rnnadvisor::advisor
