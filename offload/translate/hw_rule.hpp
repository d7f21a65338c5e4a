// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hoist/types.hpp"
#include "translate/action_rows.hpp"
#include "translate/hw_match.hpp"

namespace hoist::offload {

/// One rte_flow rule by value: all that install/ needs to create it.
struct HwRule {
  std::uint32_t group = 0;
  std::uint32_t priority = 0;
  bool is_transfer = false;
  bool counts = false;  ///< Has a COUNT action that belongs to an OpenFlow rule.
  HwMatch match{};
  HwActions actions{};  ///< RSS without configuration stands for "all queues of the port".
  bool operator==(const HwRule&) const = default;
};
// PERF: what glibc's malloc gives out without a search (up to 1,032 bytes), it gives out for lists
// of one; there is a list for each rule made.
static_assert(sizeof(HwRule) <= 1032);

}  // namespace hoist::offload
