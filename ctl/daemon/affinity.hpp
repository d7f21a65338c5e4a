// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace hoist::ctl {

/// Cores of this process that are not in `workers`; all of them if that leaves none.
[[nodiscard]] std::vector<unsigned> cores_beside(const std::vector<unsigned>& workers);
/// Moves the calling thread to `cores`.
void run_on(const std::vector<unsigned>& cores);

}  // namespace hoist::ctl
