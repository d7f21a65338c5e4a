// SPDX-License-Identifier: BSD-3-Clause
// dec_ttl: a packet whose TTL is 0 or 1 goes to the controller and no further, which is software's
// work.
#include "translate/program_builder.hpp"

namespace hoist::offload {

void decrement_ttl(ProgramBuilder& builder) {
  const bool is_ipv4 = builder.eth_type == kEthIpv4;
  const bool is_ipv6 = builder.eth_type == kEthIpv6;
  if (!is_ipv4 && !is_ipv6) {
    builder.refuse_action("dec_ttl without a match on ip or ipv6");
    return;
  }
  if (!builder.can(is_ipv4 ? IrregularAction::kDecTtlIpv4 : IrregularAction::kDecTtlIpv6)) {
    builder.refuse_on_port("dec_ttl");
    return;
  }
  if (builder.match.mask.ip_ttl == 0xff && !builder.ttl) builder.ttl = builder.match.value.ip_ttl;
  if (builder.ttl) {
    if (*builder.ttl <= 1) {
      builder.refuse_action("dec_ttl of a TTL that expires");
      return;
    }
    --*builder.ttl;
  } else if (builder.has_dec_ttl || builder.match.mask.ip_ttl != 0) {
    builder.refuse_action("dec_ttl twice");
    return;
  } else {
    builder.program.needs_ttl_guard = true;
  }
  builder.has_dec_ttl = true;
  builder.program.needed.l3 = true;
  builder.emit(RTE_FLOW_ACTION_TYPE_DEC_TTL);
}

}  // namespace hoist::offload
