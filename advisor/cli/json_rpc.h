// JSON-RPC 2.0 (https://www.jsonrpc.org/specification) with the framing of language servers: each
// message has a header "Content-Length: N" and an empty line before its N bytes of JSON.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor::cli {

struct RpcError {
  int code = 0;
  std::string message;
};
inline constexpr int rpc_parse_error = -32700, rpc_invalid_request = -32600,
                     rpc_method_not_found = -32601, rpc_invalid_params = -32602,
                     rpc_internal_error = -32603;

// The JSON of an answer as it is sent, made by rpc_result() and sent as often as it is asked for.
using RpcResult = std::shared_ptr<const std::string>;
RpcResult rpc_result(std::string json);

// What a method answers. `params`: the text of an object or array, empty where there is none. It is
// called from several threads at once.
using RpcMethods = std::function<tl::expected<RpcResult, RpcError>(std::string_view method,
                                                                   std::string_view params)>;

// The answer to one message, a request or a batch of them; empty where none is due. A notification
// is not run: methods only answer. Any bytes have an answer.
std::string answer_rpc(std::string_view message, const RpcMethods& methods);

// A message with its header. Characters that drive terminals are escaped, so that none of its bytes
// is replaced on the way (CleanOutput).
std::string frame_rpc(std::string_view message);

inline constexpr std::size_t longest_rpc_message = 8 << 20;  // bytes
inline constexpr std::size_t largest_rpc_batch = 1000;       // requests

// Answers what comes until the input ends, in its order; what comes at once is answered by all
// cores of the process. `write` takes whole messages; false: they could not be written, and serving
// ends. `waits`: nothing more is there to be read. A message that is too long or wrong is answered
// with an error; an error is returned where the next message cannot be found: a header without a
// length, or an end within a message.
using RpcSink = std::function<bool(std::string_view messages, bool waits)>;
Result<void> serve_rpc(std::istream& in, const RpcSink& write, const RpcMethods& methods);

}  // namespace rnnadvisor::cli
