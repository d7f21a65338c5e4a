// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/ask.hpp"

namespace hoist::ctl {

/// Adds `hoistctl ct ...`: connection tracking, as ovs-appctl dpctl/...conntrack and dpctl/ct-...
/// have it. Commands leave their exit status in `status`; all must outlive `app`.
void add_ct_commands(CLI::App& app, const AskOptions& options, std::vector<std::string>& words,
                     int& status);

}  // namespace hoist::ctl
