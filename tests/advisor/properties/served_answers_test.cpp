// `serve` answers what the commands print, to the last byte: whatever is asked beside it at the
// same time, and when it is asked again.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "advisor/cli/serving.h"
#include "core/model/time_for_device.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/effort.h"

namespace rnnadvisor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Question {
  std::string method, params, expected;
};

class Asked {
 public:
  Asked() {
    services_ = machine_.services();
    services_.predict_for = model::predict_time_for;
  }

  // What the command prints of all lines at once, and the request for each of them.
  void checks(const std::string& device, const std::vector<std::string>& lines, bool findings) {
    std::vector<std::string> command = {"check", "--batch", file_of(lines), "--device", device};
    if (!findings) command.emplace_back("--no-findings");
    std::istringstream printed(call(command, services_).out);
    for (const auto& line : lines) {
      std::string answer;
      ASSERT_TRUE(std::getline(printed, answer));
      add("check", line, device, findings ? "" : R"(, "findings": false)", answer);
    }
  }
  // Of commands that print one document with a list.
  void documents(const std::string& method, const std::string& list, const std::string& device,
                 const std::vector<std::string>& lines,
                 const std::vector<std::pair<std::string, std::string>>& options) {
    std::vector<std::string> command = {method, file_of(lines), "--device", device, "--json"};
    std::string more;
    for (const auto& [name, value] : options) {
      command.insert(command.end(), {"--" + name, value});
      more += fmt::format(R"(, "{}": "{}")", name, value);
    }
    auto printed = Json::parse(call(command, services_).out);
    ASSERT_EQ(printed.at(list).size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Json one = printed;
      one[list] = Json::array({printed[list][i]});
      add(method, lines[i], device, more, one.dump(2));
    }
  }

  // Everything `rounds` times, all sent at once; the answers in order.
  void expect_the_same(int rounds) {
    std::string input;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < questions_.size(); ++i)
        input +=
            frame_rpc(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "method": "{}", "params": {}}})",
                                  i, questions_[i].method, questions_[i].params));
    }
    std::ostringstream nowhere;
    const Terminal terminal;
    const Context context{
        .out = nowhere, .err = nowhere, .terminal = terminal, .services = services_};
    JudgingOptions judging;
    judging.fail_on = "never";
    Server server(context, *prepare_judging(judging, services_.predict_for), "", 4 << 20);
    std::istringstream in(input);
    std::string written;
    ASSERT_TRUE(serve_rpc(
        in,
        [&](std::string_view messages, bool) {
          written += messages;
          return true;
        },
        [&](std::string_view method, std::string_view params) {
          return server.call(method, params);
        }));
    std::string_view rest = written;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < questions_.size(); ++i) {
        const auto framed = frame_rpc(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "result": {}}})",
                                                  i, questions_[i].expected));
        if (!rest.starts_with(framed)) {
          FAIL() << "round " << round << ", " << questions_[i].method << " " << questions_[i].params
                 << "\n"
                 << rest.substr(0, 2000) << "\nin place of\n"
                 << framed.substr(0, 2000);
        }
        rest.remove_prefix(framed.size());
      }
    }
    EXPECT_TRUE(rest.empty());
  }

  std::size_t size() const { return questions_.size(); }

 private:
  std::string file_of(const std::vector<std::string>& lines) {
    auto path = folder_ / fmt::format("{}.jsonl", ++files_);
    write_text_file(path, fmt::format("{}\n", fmt::join(lines, "\n")));
    return path;
  }
  void add(const std::string& method, const std::string& line, const std::string& device,
           const std::string& more, std::string expected) {
    questions_.push_back(
        {method, fmt::format(R"({{"configuration": {}, "device": "{}"{}}})", line, device, more),
         std::move(expected)});
  }

  FakeMachine machine_;
  Services services_;
  TemporaryFolder folder_;
  int files_ = 0;
  std::vector<Question> questions_;
};

TEST(ServedAnswers, AreThoseOfTheCommands) {
  std::map<std::string, std::vector<std::string>> lines;  // by device
  std::size_t draws = 0;
  for (const auto& drawn :
       test::draw_configurations(7'000'000, static_cast<std::uint64_t>(test::draws()))) {
    lines[drawn.device->id].push_back(to_json_line(drawn.input));
    ++draws;
  }
  Asked asked;
  int turn = 0;
  for (const auto& [device, all] : lines) {
    std::vector<std::string> fifth;
    for (std::size_t i = 0; i < all.size(); i += 5) fifth.push_back(all[i]);
    const std::vector few(
        fifth.begin(),
        fifth.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(fifth.size(), 3)));
    asked.checks(device, all, false);
    asked.checks(device, all, true);
    asked.documents("fit", "fits", device, fifth, {});
    asked.documents("fit", "fits", device, fifth,
                    {{"largest", "length"}, {"memory", "3GiB"}, {"optimizer", "sgd"}});
    asked.documents("map", "maps", device, few,
                    {{"axes", turn++ % 2 == 0 ? "length-batch" : "hidden-type"}});
  }
  EXPECT_GT(asked.size(), 2 * draws);
  asked.expect_the_same(2);
}

}  // namespace
}  // namespace rnnadvisor::cli
