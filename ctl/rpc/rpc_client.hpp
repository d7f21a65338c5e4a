// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "hoist/error.hpp"

namespace hoist::ctl {

/// Runs one command of the daemon behind a unix socket and waits for its answer. Fails with kIo
/// (nobody there, with advice) or with the daemon's own words.
[[nodiscard]] Result<std::string> call(const std::string& path, const std::string& method,
                                       const std::vector<std::string>& params = {});

}  // namespace hoist::ctl
