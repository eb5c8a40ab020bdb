// The methods of `rnnadvisor serve`: what commands answer with --json, asked by other programs. The
// answers are made by the functions of the commands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "advisor/cli/batch.h"
#include "advisor/cli/json_rpc.h"
#include "advisor/cli/judging.h"

namespace rnnadvisor::cli {

// Parameters of every method are named; docs/serve.md has them. Not thread-safe.
class Server {
 public:
  // `judging`: as for `advise` and `check`; `device`: where a request names none.
  Server(const Context& context, Judging judging, std::string device);
  ~Server();

  tl::expected<std::string, RpcError> call(std::string_view method, std::string_view params);

 private:
  struct OnDevice;
  class Params;
  using Answer = Result<std::string>;

  Result<OnDevice*> on_device(const Params& params);
  Answer check(const Params& params);
  Answer fit(const Params& params);
  Answer map(const Params& params);
  Answer explain(const Params& params);
  Answer findings(const Params& params);
  Answer version(const Params& params);

  const Context& context_;
  const Judging judging_;
  const std::string device_;
  std::map<std::string, std::unique_ptr<OnDevice>, std::less<>> devices_;  // by name
};

}  // namespace rnnadvisor::cli
