// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "hoist/flow_manager.hpp"

namespace hoist::offload {

/// Why something has no hardware form.
struct Refused {
  Refusal refusal = Refusal::kNone;
  std::string reason;  ///< For people, as `offload show` prints it.
};

}  // namespace hoist::offload
