// What `serve` answers is what the commands print, and no input ends it but one that cannot be
// read.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/serving.h"
#include "core/model/time_for_device.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class Serving : public ::testing::Test {
 protected:
  // Everything that is sent at once, and the answers in order.
  std::vector<Json> ask_framed(const std::string& input) {
    std::istringstream in(input);
    std::string written;
    JudgingOptions judging;
    judging.fail_on = "never";
    Server server(context_, *prepare_judging(judging, services_.predict_for), "a100");
    result_ = serve_rpc(
        in,
        [&](std::string_view messages, bool) {
          written += messages;
          return true;
        },
        [&](std::string_view method, std::string_view params) {
          return server.call(method, params);
        });
    return unframed(written);
  }
  static std::vector<Json> unframed(std::string_view text) {
    std::vector<Json> all;
    while (!text.empty()) {
      constexpr std::string_view name = "Content-Length: ";
      EXPECT_TRUE(text.starts_with(name));
      const auto end = text.find("\r\n\r\n");
      const auto length = static_cast<std::size_t>(
          std::stoul(std::string(text.substr(name.size(), end - name.size()))));
      all.push_back(Json::parse(text.substr(end + 4, length)));
      text.remove_prefix(end + 4 + length);
    }
    return all;
  }
  std::vector<Json> ask(const std::vector<std::string>& messages) {
    std::string input;
    for (const auto& message : messages) input += frame_rpc(message);
    return ask_framed(input);
  }
  Json result(const std::string& method, const Json& params) {
    const Json request = {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
    const auto answers = ask({request.dump()});
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_TRUE(answers.at(0).contains("result")) << answers.at(0).dump().substr(0, 300);
    EXPECT_EQ(answers.at(0).at("id"), 7);
    return answers.at(0).value("result", Json());
  }
  int code(const std::string& message) {
    const auto answers = ask({message});
    EXPECT_TRUE(result_);
    if (answers.size() != 1 || !answers[0].contains("error")) return 0;
    EXPECT_FALSE(answers[0]["error"]["message"].get<std::string>().empty());
    return answers[0]["error"]["code"].get<int>();
  }
  Json printed(const std::vector<std::string>& arguments) const {
    return Json::parse(call(arguments, services_).out);
  }

  FakeMachine machine_;
  Services services_ = [this] {
    auto services = machine_.services();
    services.predict_for = model::predict_time_for;
    return services;
  }();
  const Terminal terminal_;
  std::ostringstream nowhere_;
  const Context context_{
      .out = nowhere_, .err = nowhere_, .terminal = terminal_, .services = services_};
  Result<void> result_;
  TemporaryFolder folder_;
};

TEST_F(Serving, AnswersAreThoseOfTheCommands) {
  const Json configuration = {
      {"cell", "lstm"},   {"hidden_size", 1000},
      {"batch_size", 33}, {"data_type", "half"},
      {"id", "mine"},     {"framework", {{"name", "pytorch"}, {"version", "2.11"}}}};
  const auto file = folder_ / "one.jsonl";
  write_text_file(file, configuration.dump() + "\n");
  const Json one = {{"configuration", configuration}};
  EXPECT_EQ(result("check", one), printed({"check", "--batch", file, "--device", "a100"}));
  EXPECT_EQ(
      result("check",
             {{"configuration", configuration}, {"device", "nvidia-h200"}, {"findings", false}}),
      printed({"check", "--batch", file, "--device", "nvidia-h200", "--no-findings"}));
  EXPECT_EQ(result("fit", one), printed({"fit", file, "--device", "a100", "--json"}));
  EXPECT_EQ(result("fit", {{"configuration", configuration},
                           {"largest", "length"},
                           {"memory", "20GiB"},
                           {"optimizer", "sgd"}}),
            printed({"fit", file, "--device", "a100", "--json", "--largest", "length", "--memory",
                     "20GiB", "--optimizer", "sgd"}));
  EXPECT_EQ(result("map", one), printed({"map", file, "--device", "a100", "--json"}));
  EXPECT_EQ(result("map", {{"configuration", configuration}, {"axes", "all"}, {"device", "h200"}}),
            printed({"map", file, "--device", "h200", "--axes", "all", "--json"}));
  const std::string rule = "alignment/hidden-multiple-of-8";
  EXPECT_EQ(result("explain", {{"rule", rule}}), printed({"rules", "explain", rule, "--json"}));
  EXPECT_EQ(result("version", Json::object()), printed({"version", "--json"}));
  const std::string text =
      "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed "
      "in a non-contiguous input.";
  write_text_file(folder_ / "log", text);
  const auto explained = result("explain", {{"error", text}});
  EXPECT_EQ(explained, printed({"explain-error", folder_ / "log", "--json"}));
  EXPECT_FALSE(explained.at("errors").empty());
  // When it was made stands in it.
  const auto findings = result("findings", {{"profile", "sample:programs/pytorch-gru"}});
  EXPECT_EQ(violations("docs/schema/report.schema.json", findings), "");
  EXPECT_EQ(findings.at("findings"),
            printed({"advise", "sample:programs/pytorch-gru", "--json"}).at("findings"));
}

TEST_F(Serving, TheProtocolsOwnExamples) {
  const std::string version = R"({"jsonrpc": "2.0", "id": "x", "method": "version"})";
  // https://www.jsonrpc.org/specification#examples, by their errors.
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "method": "foobar", "id": "1"})"), -32601);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz])"), -32700);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "method": 1, "params": "bar"})"), -32600);
  EXPECT_EQ(code("[]"), -32600);
  const auto three = ask({"[1, 2, 3]"});
  ASSERT_EQ(three.at(0).size(), 3U);
  for (const auto& each : three[0]) {
    EXPECT_EQ(each.at("error").at("code"), -32600);
    EXPECT_TRUE(each.at("id").is_null());
  }
  const auto mixed = ask({"[" + version + R"(, {"jsonrpc": "2.0", "method": "version"}, )" +
                          R"({"foo": "boo"}, {"jsonrpc": "2.0", "method": "no", "id": 9}])"});
  ASSERT_EQ(mixed.at(0).size(), 3U);
  EXPECT_EQ(mixed[0][0].at("id"), "x");
  EXPECT_EQ(mixed[0][1].at("error").at("code"), -32600);
  EXPECT_EQ(mixed[0][2].at("error").at("code"), -32601);
  EXPECT_EQ(mixed[0][2].at("id"), 9);
  // Notifications, alone and in batches.
  EXPECT_TRUE(ask({R"({"jsonrpc": "2.0", "method": "version"})",
                   R"([{"jsonrpc": "2.0", "method": "version"}])"})
                  .empty());
}

TEST_F(Serving, IdsComeBackAsTheyWere) {
  for (const char* id : {"1", "-3", "\"a\\u00e9\\\"\"", "null", "1.5e3", "12345678901234567890"}) {
    const auto answers = ask({fmt::format(
        R"({{"method": "version", "id": {}, "jsonrpc": "2.0", "unknown": [1]}})", id)});
    ASSERT_EQ(answers.size(), 1U) << id;
    EXPECT_EQ(answers[0].at("id"), Json::parse(id));
    EXPECT_TRUE(answers[0].contains("result"));
  }
  for (const char* id : {"true", "[1]", "{}"}) {
    EXPECT_EQ(code(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "method": "version"}})", id)),
              -32600)
        << id;
  }
}

TEST_F(Serving, WhatIsWrongIsSaidAndTheNextIsAnswered) {
  const std::string good = R"({"jsonrpc": "2.0", "id": 2, "method": "version"})";
  const auto request = [](const std::string& method, const std::string& params) {
    return fmt::format(R"({{"jsonrpc": "2.0", "id": 1, "method": "{}", "params": {}}})", method,
                       params);
  };
  std::string deep(5000, '[');
  const std::vector<std::pair<std::string, int>> wrong = {
      {"", -32700},
      {"\xff\xfe", -32700},
      {good + good, -32700},
      {deep, -32700},
      {"\"" + std::string("\x80") + "\"", -32700},
      {R"({"jsonrpc": "1.0", "id": 1, "method": "version"})", -32600},
      {R"({"id": 1, "method": "version"})", -32600},
      {R"({"jsonrpc": "2.0", "id": 1})", -32600},
      {R"({"jsonrpc": "2.0", "id": 1, "id": 2, "method": "version"})", -32600},
      {request("version", "3"), -32600},
      {request("version", "[1]"), -32602},
      {request("version", R"({"x": 1})"), -32602},
      {request("check", "{}"), -32602},
      {request("check", R"({"configuration": 3})"), -32602},
      {request("check", R"({"configuration": {"hidden_size": -1}})"), -32602},
      {request("check", R"({"configuration": {"hidden_size": 8, "hidden_size": 9}})"), -32602},
      {request("check", R"({"configuration": {}, "configuration": {}})"), -32602},
      {request("check", R"({"configuration": {}, "device": "gtx"})"), -32602},
      {request("check", R"({"configuration": {}, "device": 3})"), -32602},
      {request("check", R"({"configuration": {}, "findings": "no"})"), -32602},
      {request("fit", R"({"configuration": {}, "memory": "much"})"), -32602},
      {request("fit", R"({"configuration": {}, "largest": "hidden"})"), -32602},
      {request("fit", R"({"configuration": {}, "optimizer": "lion"})"), -32602},
      {request("map", R"({"configuration": {}, "axes": "x"})"), -32602},
      {request("explain", R"({})"), -32602},
      {request("explain", R"({"rule": "a/b", "error": ""})"), -32602},
      {request("explain", R"({"rule": "no/such"})"), -32602},
      {request("findings", R"({})"), -32602},
      {request("findings", R"({"profile": "/nowhere.rnnprof"})"), -32602},
      {request("run", "{}"), -32601}};
  std::vector<std::string> all;
  for (const auto& [message, expected] : wrong) {
    EXPECT_EQ(code(message), expected) << message.substr(0, 80);
    all.push_back(message);
    all.push_back(good);
  }
  const auto answers = ask(all);
  ASSERT_EQ(answers.size(), all.size());
  for (std::size_t i = 1; i < answers.size(); i += 2) EXPECT_TRUE(answers[i].contains("result"));
  // A batch has a bound, and so has a message.
  std::string batch = "[";
  for (std::size_t i = 0; i <= largest_rpc_batch; ++i) batch += (i > 0 ? ", " : "") + good;
  EXPECT_EQ(code(batch + "]"), -32600);
  EXPECT_EQ(code(std::string(longest_rpc_message + 1, ' ')), -32600);
}

TEST_F(Serving, FramingThatCannotBeReadEndsIt) {
  const auto good = frame_rpc(R"({"jsonrpc": "2.0", "id": 2, "method": "version"})");
  const auto body = good.substr(good.find("\r\n\r\n") + 4);
  // The names of headers have no case, other headers are passed over.
  const auto other = fmt::format(
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:{}\r\n\r\n{}",
      body.size(), body);
  EXPECT_EQ(ask_framed(good + other + good).size(), 3U);
  EXPECT_TRUE(result_);
  EXPECT_TRUE(ask_framed("").empty());
  EXPECT_TRUE(result_);
  for (const std::string& broken :
       {std::string("hello\r\n\r\n"), std::string("\r\n"), std::string("Content-Type: x\r\n\r\n"),
        std::string("Content-Length: -1\r\n\r\n"), std::string("Content-Length: 1e2\r\n\r\n"),
        std::string("Content-Length: 99999999999999999999\r\n\r\n"),
        std::string("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"), std::string("Content-"),
        std::string("Content-Length: 10\r\n\r\n{}"), std::string(10'000, 'x')}) {
    const auto answers = ask_framed(good + broken);
    ASSERT_EQ(answers.size(), 2U) << broken.substr(0, 60);
    EXPECT_TRUE(answers[0].contains("result"));
    EXPECT_EQ(answers[1].at("error").at("code"), -32700);
    ASSERT_FALSE(result_);
    EXPECT_THAT(to_text(result_.error()), HasSubstr("Content-Length"));
  }
}

// Bytes that drive terminals are replaced in what commands print, which would make the length of a
// message wrong.
TEST_F(Serving, NoByteOfAnAnswerIsReplaced) {
  const std::string id = "\"a\xC2\x85\x7F\xC2\xA0z\"";
  const auto framed = frame_rpc(id);
  EXPECT_EQ(framed, "Content-Length: 18\r\n\r\n\"a\\u0085\\u007f\xC2\xA0z\"");
  EXPECT_EQ(unframed(framed).at(0), Json::parse(id));
}

}  // namespace
}  // namespace rnnadvisor::cli
