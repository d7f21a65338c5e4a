// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "translate/refused.hpp"

namespace hoist::offload {

inline const Refused kNoRoom{Refusal::kTableFull, "the NIC has no more room"};
inline const Refused kNoLevels{Refusal::kPriorityRange, "more priority levels than the NIC has"};

}  // namespace hoist::offload
