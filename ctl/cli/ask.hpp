// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hoist::ctl {

/// How hoistctl was told to ask and to answer.
struct AskOptions {
  std::string socket;
  bool is_json = false;
  bool has_colours = false;
};
using View = std::string (*)(const nlohmann::json&, bool has_colours);

/// Says on stderr what went wrong; returns the exit status.
int complain(const std::string& what);
void print(const AskOptions& options, const nlohmann::json& json, View view);
/// Runs a command that answers in JSON and shows it. Returns the exit status, as run() does.
int show(const AskOptions& options, const std::string& method,
         const std::vector<std::string>& params, View view);
/// Runs a command whose answer is for people.
int run(const AskOptions& options, const std::string& method,
        const std::vector<std::string>& params);

}  // namespace hoist::ctl
