#include "advisor/cli/json_rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <vector>

#include "core/base/text.h"
#include "core/config/json/json_cursor.h"

namespace rnnadvisor::cli {
namespace {

using json::JsonCursor;

constexpr std::size_t longest_header = 4096;    // bytes
constexpr std::size_t answers_kept = 64 << 10;  // bytes, before they are written
constexpr std::string_view no_id = "null";

void append_error(std::string& out, std::string_view id, int code, std::string_view message) {
  const auto text = nlohmann::json(to_valid_utf8(message)).dump();
  fmt::format_to(std::back_inserter(out),
                 R"({{"jsonrpc": "2.0", "id": {}, "error": {{"code": {}, "message": {}}}}})", id,
                 code, text);
}

// The members of a request as they stand in the message.
struct RpcRequest {
  std::string version, method;
  std::string_view id, params;
  bool has_method = false;
  std::string_view wrong;  // why it is no request; empty: it is one
};

// The text of the next value; empty where the syntax is wrong.
std::string_view take_value(JsonCursor& cursor, std::string_view text) {
  cursor.peek();
  const auto begin = cursor.offset();
  return cursor.skip_value() ? text.substr(begin, cursor.offset() - begin) : std::string_view();
}

// False where the syntax is wrong.
bool read_request(JsonCursor& cursor, std::string_view text, RpcRequest& request) {
  return cursor.read_object([&](std::string_view key, std::size_t) {
    const bool version = key == "jsonrpc", method = key == "method", id = key == "id",
               params = key == "params";
    if ((version && !request.version.empty()) || (method && request.has_method) ||
        (id && !request.id.empty()) || (params && !request.params.empty()))
      request.wrong = "a member is given twice";
    if (version || method) {
      if (cursor.peek() != '"') {
        request.wrong = version ? "\"jsonrpc\" must be \"2.0\"" : "\"method\" must be a string";
        return cursor.skip_value();
      }
      std::string_view word;
      if (!cursor.read_string(word)) return false;
      (version ? request.version : request.method) = word;
      request.has_method = request.has_method || method;
      return true;
    }
    const auto value = take_value(cursor, text);
    if (value.empty()) return false;
    if (id) request.id = value;
    if (params) request.params = value;
    return true;
  });
}

bool is_id(std::string_view value) {
  const char first = value.empty() ? '\0' : value.front();
  return first == '"' || first == '-' || (first >= '0' && first <= '9') || value == no_id;
}

void check_request(RpcRequest& request) {
  if (!request.wrong.empty()) return;
  const char params = request.params.empty() ? '{' : request.params.front();
  if (request.version != "2.0")
    request.wrong = "\"jsonrpc\" must be \"2.0\"";
  else if (!request.has_method)
    request.wrong = "there is no \"method\"";
  else if (!request.id.empty() && !is_id(request.id))
    request.wrong = "\"id\" must be a string, a number or null";
  else if (params != '{' && params != '[')
    request.wrong = "\"params\" must be an object or an array";
}

// Appends the answer; nothing to a notification.
void answer_request(RpcRequest& request, const RpcMethods& methods, std::string& out) {
  check_request(request);
  const auto id = is_id(request.id) ? request.id : no_id;
  if (!request.wrong.empty()) {
    append_error(out, id, rpc_invalid_request, request.wrong);
    return;
  }
  if (request.id.empty()) return;
  const auto result = methods(request.method, request.params);
  if (!result) {
    append_error(out, id, result.error().code, result.error().message);
    return;
  }
  std::string_view text = *result;
  while (text.ends_with('\n')) text.remove_suffix(1);
  out += R"({"jsonrpc": "2.0", "id": )";
  out += id;
  out += R"(, "result": )";
  out += text;
  out += '}';
}

// A message with its syntax checked: one request, or a batch.
struct RpcMessage {
  std::vector<RpcRequest> requests;
  bool batch = false;
  std::string problem;  // empty: none
  int code = rpc_parse_error;
};

RpcMessage read_message(std::string_view text) {
  RpcMessage message;
  JsonCursor cursor(text);
  const auto read_one = [&] {
    auto& request = message.requests.emplace_back();
    if (cursor.peek() == '{') return read_request(cursor, text, request);
    request.wrong = "a request must be an object";
    return cursor.skip_value();
  };
  message.batch = cursor.accept('[');
  bool whole = true;
  if (!message.batch) {
    whole = read_one();
  } else if (!cursor.accept(']')) {
    do {
      // The rest is read for its syntax alone.
      whole = message.requests.size() <= largest_rpc_batch ? read_one() : cursor.skip_value();
    } while (whole && cursor.accept(','));
    whole = whole && cursor.expect(']');
  }
  if (!whole) {
    message.problem =
        fmt::format("{}, at byte {}", cursor.failure().message, cursor.failure().offset);
  } else if (!cursor.at_end()) {
    message.problem = fmt::format("text after the end of the message, at byte {}", cursor.offset());
  } else if (message.batch && message.requests.empty()) {
    message.problem = "a batch must have a request";
    message.code = rpc_invalid_request;
  } else if (message.requests.size() > largest_rpc_batch) {
    message.problem = fmt::format("a batch must have at most {} requests", largest_rpc_batch);
    message.code = rpc_invalid_request;
  }
  return message;
}

// Messages of a stream.
class RpcReader {
 public:
  enum class Kind { message, too_long, end };

  // `waiting` is called before a read that may wait.
  RpcReader(std::istream& in, std::function<void()> waiting)
      : source_(*in.rdbuf()), waiting_(std::move(waiting)) {}

  Result<Kind> next(std::string& message) {
    auto length = read_header();
    if (!length) return fail(length.error());
    if (!*length) return Kind::end;
    const bool too_long = **length > longest_rpc_message;
    if (!read_bytes(**length, too_long ? nullptr : &message))
      return broken("the input ended within a message");
    return too_long ? Kind::too_long : Kind::message;
  }

 private:
  static tl::unexpected<Error> broken(std::string_view what) {
    return fail(ErrorCode::parse, fmt::format("standard input: {}", what),
                "before each message write \"Content-Length: N\", the number of its bytes, and an "
                "empty line, all with \\r\\n");
  }

  int take() {
    if (source_.in_avail() <= 0) waiting_();
    return source_.sbumpc();
  }

  // The length of the message; nothing at the end of the input.
  Result<std::optional<std::uint64_t>> read_header() {
    std::optional<std::uint64_t> length;
    std::string line;
    for (std::size_t bytes = 0;; ++bytes) {
      const int next = take();
      if (next == std::streambuf::traits_type::eof()) {
        if (bytes == 0) return length;
        return broken("the input ended within a header");
      }
      if (bytes >= longest_header) return broken("a header is too long");
      if (next != '\n') {
        line.push_back(static_cast<char>(next));
        continue;
      }
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) {
        if (length) return length;
        return broken("a header has no Content-Length");
      }
      if (!read_header_line(line, length))
        return broken(fmt::format("'{}' is no line of a header", printable(line.substr(0, 80))));
      line.clear();
    }
  }

  static bool read_header_line(std::string_view line, std::optional<std::uint64_t>& length) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (name != "content-length") return true;
    auto value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || length) return false;
    length = number;
    return true;
  }

  // Into `to`, or passed over. False where the input ends before.
  bool read_bytes(std::uint64_t count, std::string* to) {
    char piece[8192];
    if (to != nullptr) to->clear();
    while (count > 0) {
      if (source_.in_avail() <= 0) waiting_();
      // Waits for at least one, and takes no more than is there.
      if (source_.sgetc() == std::streambuf::traits_type::eof()) return false;
      const auto most = std::min<std::uint64_t>(
          {count, sizeof piece,
           static_cast<std::uint64_t>(std::max<std::streamsize>(source_.in_avail(), 1))});
      const auto got = source_.sgetn(piece, static_cast<std::streamsize>(most));
      if (got <= 0) return false;
      if (to != nullptr) to->append(piece, static_cast<std::size_t>(got));
      count -= static_cast<std::uint64_t>(got);
    }
    return true;
  }

  std::streambuf& source_;
  std::function<void()> waiting_;
};

}  // namespace

std::string answer_rpc(std::string_view text, const RpcMethods& methods) {
  std::string out;
  auto message = read_message(text);
  if (!message.problem.empty()) {
    append_error(out, no_id, message.code, message.problem);
    return out;
  }
  if (!message.batch) {
    answer_request(message.requests.front(), methods, out);
    return out;
  }
  for (auto& request : message.requests) {
    std::string answer;
    answer_request(request, methods, answer);
    if (!answer.empty()) out += (out.empty() ? "[" : ", ") + answer;
  }
  if (!out.empty()) out += ']';
  return out;
}

std::string frame_rpc(std::string_view message) {
  // Outside of strings JSON has none of these. The next of each is looked for once.
  constexpr auto none = std::string_view::npos;
  std::string escaped;
  std::size_t done = 0, del = message.find('\x7F'), lead = message.find('\xC2');
  while (del != none || lead != none) {
    const auto at = std::min(del, lead);
    const std::size_t length = at == del ? 1 : 2;
    const auto last = at + length - 1;
    // U+0080 to U+009F
    const bool drives =
        at == del || (last < message.size() && static_cast<unsigned char>(message[last]) < 0xA0);
    if (drives) {
      escaped += message.substr(done, at - done);
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned char>(message[last]));
      done = at + length;
    }
    (at == del ? del : lead) = message.find(message[at], at + 1);
  }
  const auto rest = message.substr(done);
  auto framed = fmt::format("Content-Length: {}\r\n\r\n", escaped.size() + rest.size());
  framed += escaped;
  framed += rest;
  return framed;
}

Result<void> serve_rpc(std::istream& in, const RpcSink& write, const RpcMethods& methods) {
  std::string answers, message;
  bool arrives = true;
  const auto flush = [&](bool waits) {
    if (answers.empty() || !arrives) return;
    arrives = write(answers, waits);
    answers.clear();
  };
  RpcReader reader(in, [&] { flush(true); });
  while (arrives) {
    const auto kind = reader.next(message);
    if (!kind) {
      message.clear();
      append_error(message, no_id, rpc_parse_error, kind.error().message);
      answers += frame_rpc(message);
      flush(true);
      return fail(kind.error());
    }
    if (*kind == RpcReader::Kind::end) break;
    std::string answer;
    if (*kind == RpcReader::Kind::too_long) {
      append_error(answer, no_id, rpc_invalid_request,
                   fmt::format("a message must have at most {} bytes", longest_rpc_message));
    } else {
      answer = answer_rpc(message, methods);
    }
    if (!answer.empty()) answers += frame_rpc(answer);
    if (answers.size() >= answers_kept) flush(false);
  }
  flush(true);
  return {};
}

}  // namespace rnnadvisor::cli
