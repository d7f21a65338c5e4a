// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classifier/flow_mask.hpp"
#include "classifier/stored_entry.hpp"

namespace hoist::software {

/// Entries looked at, at most, to choose the masks of a fork; of more, a sample will do.
inline constexpr std::size_t kSplitSample = 128;

/// Chooses masks for a fork that is to tell these entries apart with few hash probes and few
/// comparisons: the first for as many of them as it can, the next for those that do not have all
/// bits of the first, and so on, until at most `enough` are left. Empty if nothing tells them
/// apart.
///
/// Each mask is grown byte by byte, by what raises the gain most: the sum, over the entries that
/// have all bits of the mask, of log2(all / entries that share its bucket), plus a fixed worth for
/// each entry that is covered, because those left out cost every packet one more probe. Cost:
/// microseconds for tens of entries. `entries`: at most kSplitSample.
[[nodiscard]] std::vector<FlowMask> choose_masks(std::span<StoredEntry* const> entries,
                                                 std::size_t enough, std::size_t max_masks);

}  // namespace hoist::software
