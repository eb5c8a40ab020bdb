// Any bytes as what an editor sends to `rnnadvisor serve`: framed messages, and one message.
#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/json_rpc.h"
#include "tests/fuzz/config_checks.h"

namespace {

using rnnadvisor::fuzz::require;

// By its grammar: the library refuses numbers beyond double, which have no meaning in an id.
bool is_json(std::string_view text) {
  try {
    const auto parsed = nlohmann::json::parse(text);
    static_cast<void>(parsed);
    return true;
  } catch (const nlohmann::json::exception& error) {
    return error.id == 406;
  }
}

void require_answer(std::string_view text) {
  require(is_json(text), "an answer is JSON");
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (answer.is_discarded()) return;
  const auto one = [](const nlohmann::json& each) {
    require(each.is_object() && each.value("jsonrpc", "") == "2.0" && each.contains("id"),
            "an answer has a version and an id");
    require(each.contains("result") != each.contains("error"),
            "an answer has a result or an error");
  };
  if (!answer.is_array()) return one(answer);
  require(!answer.empty(), "a batch of answers has one");
  for (const auto& each : answer) one(each);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::atomic<bool> called = false;  // methods are called from several threads
  const RpcMethods methods = [&](std::string_view method,
                                 std::string_view params) -> tl::expected<RpcResult, RpcError> {
    called = true;
    require(params.empty() || is_json(params), "parameters are JSON");
    if (method == "check") return rpc_result("{\"answer\": \"\xC2\x85\"}");
    return tl::unexpected(RpcError{rpc_method_not_found, std::string(method)});
  };

  std::istringstream in(text);
  std::string written;
  const auto served = serve_rpc(
      in,
      [&](std::string_view messages, bool) {
        written += messages;
        return true;
      },
      methods);
  require(served.has_value() || !served.error().message.empty(), "an end has a reason");
  for (std::string_view rest = written; !rest.empty();) {
    constexpr std::string_view name = "Content-Length: ";
    require(rest.starts_with(name), "an answer has a header");
    const auto end = rest.find("\r\n\r\n");
    require(end != std::string_view::npos, "a header ends");
    const auto length = std::stoul(std::string(rest.substr(name.size(), end - name.size())));
    require(rest.size() >= end + 4 + length, "an answer is as long as its header says");
    require_answer(rest.substr(end + 4, length));
    rest.remove_prefix(end + 4 + length);
  }

  called = false;
  const auto answer = answer_rpc(text, methods);
  if (!answer.empty()) require_answer(answer);
  require(!called || is_json(text), "what is called is JSON");
  return 0;
}
