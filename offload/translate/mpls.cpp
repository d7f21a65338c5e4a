// SPDX-License-Identifier: BSD-3-Clause
// The outermost MPLS label stack entry (RFC 3032), which FlowKey and the item lay out alike.
#include "translate/match_builder.hpp"

namespace hoist::offload {

void express_mpls(MatchBuilder& builder) {
  const Be32 mask = builder.left.mask.mpls_lse;
  const Be32 value = builder.left.value.mpls_lse;
  // A frame too short for an entry has zero there in software, and no item in hardware.
  if (mask.wire() == 0 || value.wire() == 0) return;
  if (builder.eth_type != kEthMpls && builder.eth_type != kEthMplsMulticast) return;
  if (!builder.can(IrregularRow::kMpls, mask.wire() == 0xffffffff)) return;
  builder.pattern.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_MPLS);
  builder.pattern.put(Layer::kL3, 0, &value, &mask, sizeof mask);
  builder.left.mask.mpls_lse = Be32{0};
}

}  // namespace hoist::offload
