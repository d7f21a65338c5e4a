// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/op.hpp"

namespace hoist::software {

/// Says whether an op does the same to every packet that came here by the same trail (TrailStore).
/// An edit does, as long as nobody looks at the packet afterwards.
[[nodiscard]] bool stays_on_trail(const Op& op) noexcept;

/// Says whether what an op does follows from what connection tracking has found.
[[nodiscard]] bool asks_tracking(const Op& op) noexcept;

}  // namespace hoist::software
