// SPDX-License-Identifier: BSD-3-Clause
// ip_frag: with fragments kept out of hardware, "not a fragment" holds there and the rest never
// does.
#include "translate/match_builder.hpp"

namespace hoist::offload {

void express_fragment(MatchBuilder& builder) {
  if (builder.left.mask.ip_frag == 0 || !builder.is_ip()) return;
  if ((builder.left.value.ip_frag & builder.left.mask.ip_frag) != 0) builder.is_steered = true;
  add(builder.hazards,
      builder.eth_type == kEthIpv4 ? Hazard::kIpv4Fragment : Hazard::kIpv6Extension);
  builder.left.mask.ip_frag = 0;
}

}  // namespace hoist::offload
