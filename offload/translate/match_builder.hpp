// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "translate/match.hpp"

namespace hoist::offload {

/// A match on its way into hardware form. Each express_* function takes from `left` the mask bits
/// that it has put into the pattern, or that hold for every packet in hardware anyway.
struct MatchBuilder {
  const Context& context;
  Match left;  ///< value and mask still to be expressed.
  HwMatch pattern{};
  HazardSet hazards;
  std::uint16_t eth_type = 0;  ///< Pinned down by the rule; 0: not.
  std::uint8_t ip_proto = 0;
  TagForm tag = TagForm::kAgnostic;
  bool is_never = false;
  bool is_steered = false;    ///< What it matches is a hazard: steering hands it to software.
  bool has_l4_value = false;  ///< Some L4 bit must be 1, so a cut-off header cannot match.

  [[nodiscard]] bool is_ip() const noexcept { return eth_type == kEthIpv4 || eth_type == kEthIpv6; }
  [[nodiscard]] bool can(IrregularRow row, bool is_full_mask = true) const noexcept {
    const Capabilities& c = context.capabilities;
    return (is_full_mask ? c.match_exact : c.match_masked).test(row_index(row));
  }
};

void express_in_port(MatchBuilder& builder);         // in_port.cpp
void express_pipeline_state(MatchBuilder& builder);  // pipeline_state.cpp
void express_rows(MatchBuilder& builder);            // match_rows.cpp
void express_vlan(MatchBuilder& builder);            // vlan.cpp
void express_fragment(MatchBuilder& builder);        // fragment.cpp
void express_ipv6_flow(MatchBuilder& builder);       // ipv6_flow.cpp
void express_neighbor(MatchBuilder& builder);        // neighbor.cpp
void express_mpls(MatchBuilder& builder);            // mpls.cpp

}  // namespace hoist::offload
