#include "advisor/cli/json_rpc.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <thread>
#include <utility>
#include <vector>

#include "advisor/cli/in_order.h"
#include "core/base/parallel.h"
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

// Escapes the characters that drive terminals. Outside of strings JSON has none of these.
std::string escaped(std::string text) {
  constexpr auto none = std::string_view::npos;
  // The next of each is looked for once.
  std::size_t done = 0, del = text.find('\x7F'), lead = text.find('\xC2');
  std::string out;
  while (del != none || lead != none) {
    const auto at = std::min(del, lead);
    const std::size_t length = at == del ? 1 : 2;
    const auto last = at + length - 1;
    // U+0080 to U+009F
    const bool drives =
        at == del || (last < text.size() && static_cast<unsigned char>(text[last]) < 0xA0);
    if (drives) {
      out.append(text, done, at - done);
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[last]));
      done = at + length;
    }
    (at == del ? del : lead) = text.find(text[at], at + 1);
  }
  if (done == 0) return text;
  return out.append(text, done);
}

// An answer as it is sent. The result stays where it is: it may be large, and be sent again.
struct Reply {
  std::string head;  // all of it where there is no result
  RpcResult result = nullptr;

  std::size_t size() const { return head.size() + (result ? result->size() + 1 : 0); }
  void append_to(std::string& out) const {
    out += head;
    if (!result) return;
    out += *result;
    out += '}';
  }
};

// Empty to a notification.
Reply answer_request(RpcRequest& request, const RpcMethods& methods) {
  check_request(request);
  const auto id = is_id(request.id) ? request.id : no_id;
  Reply reply;
  if (!request.wrong.empty()) {
    append_error(reply.head, id, rpc_invalid_request, request.wrong);
  } else if (!request.id.empty()) {
    auto result = methods(request.method, request.params);
    if (result) {
      reply.head = fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "result": )", id);
      reply.result = std::move(*result);
    } else {
      append_error(reply.head, id, result.error().code, result.error().message);
    }
  }
  reply.head = escaped(std::move(reply.head));
  return reply;
}

// That this process may use: `taskset -c 1` gives one.
std::size_t usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                     : std::thread::hardware_concurrency();
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

Reply reply_to(std::string_view text, const RpcMethods& methods) {
  auto message = read_message(text);
  Reply reply;
  if (!message.problem.empty()) {
    append_error(reply.head, no_id, message.code, message.problem);
    reply.head = escaped(std::move(reply.head));
    return reply;
  }
  if (!message.batch) return answer_request(message.requests.front(), methods);
  std::vector<Reply> replies(message.requests.size());
  for_pieces(replies.size(), 1, [&](std::size_t i, std::size_t) {
    replies[i] = answer_request(message.requests[i], methods);
  });
  for (const auto& each : replies) {
    if (each.size() == 0) continue;
    reply.head += reply.head.empty() ? "[" : ", ";
    each.append_to(reply.head);
  }
  if (reply.size() > 0) reply.head += ']';
  return reply;
}

void append_framed(std::string& out, const Reply& reply) {
  fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n\r\n", reply.size());
  reply.append_to(out);
}

}  // namespace

RpcResult rpc_result(std::string json) {
  while (json.ends_with('\n')) json.pop_back();
  return std::make_shared<const std::string>(escaped(std::move(json)));
}

std::string answer_rpc(std::string_view message, const RpcMethods& methods) {
  std::string out;
  reply_to(message, methods).append_to(out);
  return out;
}

std::string frame_rpc(std::string_view message) {
  std::string out;
  append_framed(out, {escaped(std::string(message))});
  return out;
}

Result<void> serve_rpc(std::istream& in, const RpcSink& write, const RpcMethods& methods) {
  std::string answers, message;
  bool arrives = true;
  const auto flush = [&](bool waits) {
    if (answers.empty() || !arrives) return;
    arrives = write(answers, waits);
    answers.clear();
  };
  InOrder<Reply> replies(
      [&](const Reply& reply) {
        if (reply.size() > 0) append_framed(answers, reply);
        if (answers.size() >= answers_kept) flush(false);
      },
      usable_cores());
  const auto finish = [&] {
    replies.finish();
    flush(true);
  };
  const auto add_error = [&](int code, std::string_view what) {
    Reply reply;
    append_error(reply.head, no_id, code, what);
    reply.head = escaped(std::move(reply.head));
    replies.add([reply] { return reply; });
  };
  RpcReader reader(in, finish);
  std::size_t unanswered = 0;  // bytes of messages, at most
  while (arrives) {
    const auto kind = reader.next(message);
    if (!kind) {
      add_error(rpc_parse_error, kind.error().message);
      finish();
      return fail(kind.error());
    }
    if (*kind == RpcReader::Kind::end) break;
    if (*kind == RpcReader::Kind::too_long) {
      add_error(rpc_invalid_request,
                fmt::format("a message must have at most {} bytes", longest_rpc_message));
      continue;
    }
    unanswered += message.size();
    replies.add([text = std::exchange(message, {}), &methods] { return reply_to(text, methods); });
    if (unanswered < longest_rpc_message) continue;
    replies.finish();
    unanswered = 0;
  }
  finish();
  return {};
}

}  // namespace rnnadvisor::cli
