// SPDX-License-Identifier: BSD-3-Clause
#include "cli/ask.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "rpc/rpc_client.hpp"

namespace hoist::ctl {

int complain(const std::string& what) {
  std::cerr << "hoistctl: " << what << '\n';
  return 1;
}

void print(const AskOptions& options, const nlohmann::json& json, View view) {
  std::cout << (options.is_json ? json.dump(2) + "\n" : view(json, options.has_colours));
}

int show(const AskOptions& options, const std::string& method,
         const std::vector<std::string>& params, View view) {
  const auto answer = call(options.socket, method, params);
  if (!answer) return complain(answer.error().message);
  const auto json = nlohmann::json::parse(*answer, nullptr, false);
  if (json.is_discarded()) return complain("hoistd's answer is no JSON");
  print(options, json, view);
  return 0;
}

int run(const AskOptions& options, const std::string& method,
        const std::vector<std::string>& params) {
  const auto answer = call(options.socket, method, params);
  if (!answer) return complain(answer.error().message);
  std::cout << *answer;
  return 0;
}

}  // namespace hoist::ctl
