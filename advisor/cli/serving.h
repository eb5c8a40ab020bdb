// The methods of `rnnadvisor serve`: what commands answer with --json, asked by other programs. The
// answers are made by the functions of the commands.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "advisor/cli/batch.h"
#include "advisor/cli/json_rpc.h"
#include "advisor/cli/judging.h"
#include "advisor/cli/kept_answers.h"

namespace rnnadvisor::cli {

// Parameters of every method are named; docs/serve.md has them. Thread-safe.
class Server {
 public:
  // `judging`: as for `advise` and `check`; `device`: where a request names none; `kept`: bytes of
  // answers that are given again without being made again.
  Server(const Context& context, Judging judging, std::string device, std::size_t kept = 64 << 20);
  ~Server();

  tl::expected<RpcResult, RpcError> call(std::string_view method, std::string_view params);

 private:
  struct OnDevice;
  class Params;
  using Answer = Result<std::string>;

  Result<std::shared_ptr<OnDevice>> on_device(const Params& params);
  Answer check(const Params& params);
  Answer fit(const Params& params);
  Answer map(const Params& params);
  Answer explain(const Params& params);
  Answer findings(const Params& params);
  Answer version(const Params& params);

  const Context& context_;
  const Judging judging_;
  const std::string device_;
  std::mutex devices_mutex_, findings_mutex_;
  std::map<std::string, std::shared_ptr<OnDevice>, std::less<>> devices_;  // by name
  KeptAnswers kept_;
};

}  // namespace rnnadvisor::cli
