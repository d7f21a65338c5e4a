// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nic/capabilities.hpp"
#include "translate/hazard.hpp"
#include "translate/port_map.hpp"

namespace hoist::offload {

class MeterBook;

/// What a translation depends on besides the rule. References must outlive the call.
struct Context {
  const Capabilities& capabilities;
  const PortMap& ports;
  TagMode tag_mode = TagMode::kUntagged;
  const MeterBook* meters = nullptr;  ///< Null: none in hardware.
};

}  // namespace hoist::offload
