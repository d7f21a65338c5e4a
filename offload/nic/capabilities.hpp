// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "translate/action_rows.hpp"
#include "translate/hazard.hpp"
#include "translate/match_rows.hpp"

namespace hoist::offload {

/// What a port (or a switch domain) can do, besides the rows of matches and actions.
enum class Feature : std::uint8_t {
  kTransfer,  ///< Rules live in the embedded switch and can send to ports of its domain.
  kGroups,    ///< JUMP to groups other than 0.
  kCount,     ///< COUNT beside a fate.
  kDrop,
  kMark,             ///< MARK on packets that go to software.
  kToSoftware,       ///< Some form of "hand it to software"; see Capabilities::punt.
  kMatchEthOnly,     ///< A pattern of a bare ETH item.
  kMatchHasVlan,     ///< ETH has_vlan.
  kMatchMoreVlan,    ///< VLAN has_more_vlan.
  kMatchLength8023,  ///< ETH type under the mask 0xf800.
  kCountOfFeatures,
};
using FeatureSet = std::bitset<static_cast<std::size_t>(Feature::kCountOfFeatures)>;

/// How a rule names the port that a packet came from.
enum class PortMatch : std::uint8_t { kNone, kRepresentedPort, kPortId };
/// How a rule sends a packet out of a port of the domain.
enum class PortOutput : std::uint8_t { kNone, kRepresentedPort, kPortId };
/// How a rule hands a packet to software on the port it came from.
enum class Punt : std::uint8_t {
  kNone,
  kQueue,            ///< Ingress rules: QUEUE.
  kRss,              ///< Ingress rules: RSS over the port's queues.
  kPortRepresentor,  ///< Transfer rules: JUMP to a group with one PORT_REPRESENTOR rule a port.
  kEmptyGroup,       ///< Transfer rules: JUMP to an empty group; a miss goes to software.
};

/// What was found by asking (nic/probe.hpp). Data only; the translator and planner decide by it.
struct Capabilities {
  FeatureSet features;
  PortMatch match_port = PortMatch::kNone;
  PortOutput output_port = PortOutput::kNone;
  Punt punt = Punt::kNone;
  std::bitset<kMatchRowCount> match_exact;   ///< Rows usable with a mask of all ones.
  std::bitset<kMatchRowCount> match_masked;  ///< Rows usable with any mask.
  std::bitset<kActionRowCount> actions;
  HazardSet admissible;  ///< Hazards that steering can keep away; see translate/hazard.hpp.
  std::uint32_t group_count = 1;     ///< Groups 0 to group_count - 1.
  std::uint32_t priority_count = 1;  ///< In groups above 0, or in group 0 if it is the only one.
  std::uint32_t root_priority_count = 1;  ///< In group 0.
  std::uint32_t mark_max = 0;
  std::vector<std::uint16_t> queues;  ///< Of the port, for RSS.

  [[nodiscard]] bool has(Feature feature) const noexcept {
    return features.test(static_cast<std::size_t>(feature));
  }
  void set(Feature feature, bool on = true) noexcept {
    features.set(static_cast<std::size_t>(feature), on);
  }
  /// Rules can do something useful at all.
  [[nodiscard]] bool is_usable() const noexcept {
    return has(Feature::kCount) && has(Feature::kToSoftware) && priority_count >= 4;
  }
};

}  // namespace hoist::offload
