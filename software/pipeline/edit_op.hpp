// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/flow_key.hpp"
#include "packet/parse.hpp"
#include "pipeline/op.hpp"

namespace hoist::software {

/// Carries out an op that changes a packet's bytes; `data` is that of the op's owner. What the
/// packet has no header for is left alone. `layers` stays true. Ops that change nothing do nothing
/// here.
void apply_edit(rte_mbuf& packet, Layers& layers, const Op& op, const std::uint64_t* data) noexcept;

/// Says whether this edit may show headers or fields of a packet with this key that its key does
/// not tell of, so that what follows cannot be told from the key.
[[nodiscard]] bool uncovers(const Op& op, const FlowKey& key) noexcept;

}  // namespace hoist::software
