// SHA-256 (FIPS 180-4) in base64: what a Content-Security-Policy names the page's own style and
// script with.
#pragma once

#include <string>
#include <string_view>

namespace rnnadvisor::advisor {

std::string sha256_base64(std::string_view bytes);

}  // namespace rnnadvisor::advisor
