// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hoist/rule.hpp"
#include "hoist/types.hpp"

namespace hoist {

enum class Tier : std::uint8_t {
  kSoftware,  ///< Not in hardware, or only its guard is.
  kPartial,   ///< The NIC matches and counts; software executes without classifying.
  kFull,      ///< The NIC does it all.
};

/// Why a rule is not in a better tier. kNone for Tier::kFull.
enum class Refusal : std::uint8_t {
  kNone,
  kDisabled,           ///< Offload is switched off.
  kNoPort,             ///< No port of the bridge takes rules.
  kFieldUnsupported,   ///< A match field or mask that has no hardware form on this port.
  kActionUnsupported,  ///< An action or instruction, likewise.
  kGroupUnsupported,   ///< The port has no group for this table.
  kOtherDomain,        ///< The output lies outside the ingress port's switch domain.
  kShadowed,           ///< A rule above it is in software and cannot be guarded.
  kTableFull,          ///< The NIC had no room.
  kPriorityRange,      ///< More priority levels than the NIC has.
  kMeterInSoftware,    ///< A meter of the rule lives in software; `reason` says why.
  kNicRejected,        ///< rte_flow_validate or _create said no; `reason` has its message.
  kPending,            ///< Still on its way.
};

/// Where one rule is and why.
struct Placement {
  RuleId rule = RuleId::kNone;
  Tier tier = Tier::kSoftware;
  Refusal refusal = Refusal::kPending;
  std::string reason;             ///< For people: which bit, action, rule, or the NIC's message.
  std::uint32_t rule_count = 0;   ///< Hardware rules that carry it (one a port, say).
  std::uint32_t guard_count = 0;  ///< Hardware guards that stand for it.
  TrafficCount hardware;          ///< What the NIC carried, cumulative.
};

/// A Placement with all there is to say about it.
struct Explanation {
  /// One switch domain's part.
  struct Part {
    std::string domain;  ///< Its ports: "p1,p2".
    Tier tier = Tier::kSoftware;
    Refusal refusal = Refusal::kNone;
    std::string reason;
    RuleId shadowed_by = RuleId::kNone;
    std::uint64_t rank = 0;  ///< By packet rate, from 1; 0: rules are not ranked now.
    std::uint64_t ranked_count = 0;
    std::vector<std::string> hardware;  ///< What stands in the NIC for it, a line a rule.
  };
  Placement placement;
  std::string remedy;  ///< What would bring it into a better tier; empty for Tier::kFull.
  std::vector<Part> parts;
};

/// What one switch domain, or one port whose rules are its own, can do, as found by asking.
struct NicReport {
  struct Port {
    PortNo number;
    EthdevId ethdev = EthdevId::kNone;
    std::string name;
    std::string driver;
    std::string firmware;  ///< Empty: the driver does not tell.
    bool is_representor = false;
    bool is_enabled = true;  ///< See FlowManager::set_port_enabled().
  };
  BridgeId bridge{};
  std::vector<Port> ports;
  bool takes_rules = false;
  std::string why_not;                     ///< Where it takes none.
  std::optional<std::uint16_t> domain_id;  ///< Of the embedded switch.
  EthdevId proxy = EthdevId::kNone;        ///< Takes the rules.
  bool is_switch = false;                  ///< Rules can send from port to port.
  std::uint32_t group_count = 0;
  std::uint32_t table_count = 0;  ///< OpenFlow tables that have a group.
  std::uint32_t priority_count = 0;
  std::uint32_t level_count = 0;
  std::uint32_t mark_max = 0;
  std::string hands_over_by;         ///< The action that gives a packet to software.
  std::vector<std::string> matches;  ///< Fields; "nw_dst/mask" where any mask will do.
  std::vector<std::string> actions;
  std::vector<std::string> keeps_out;  ///< What steering leaves to software where rules need it.
  std::uint32_t meter_max = 0;         ///< rte_mtr's; 0: none.
  std::uint64_t rule_count = 0;        ///< Hardware rules that stand, steering included.
  std::uint64_t capacity = 0;          ///< As the NIC taught; 0: it has not been full yet.
  std::uint64_t waiting_count = 0;     ///< OpenFlow rules that find no room.
  std::uint32_t tables_used = 0;
  std::uint32_t levels_used = 0;  ///< Distinct priorities, over all tables.
  std::uint32_t meters_used = 0;
};

/// What the NIC still has of what should stand in it.
struct DriftReport {
  BridgeId bridge{};
  std::string domain;                ///< Its ports: "p1,p2".
  std::uint64_t checked_count = 0;   ///< Hardware rules.
  std::uint64_t unknown_count = 0;   ///< Of these, what the driver has no way to tell.
  std::uint64_t lost_count = 0;      ///< And what the NIC no longer has.
  std::vector<RuleId> lost;          ///< OpenFlow rules concerned.
  std::vector<std::string> reasons;  ///< The NIC's words, a few.
  bool is_repaired = false;          ///< All of the domain has been installed anew.
};

/// What was asked of the offload thread, and how long it took from submit() to settled.
struct OffloadStats {
  std::uint64_t enqueued_count = 0;  ///< Rule changes that wait.
  std::uint64_t inserted_count = 0;  ///< Hardware rules that stand.
  std::uint64_t latency_mean_us = 0;
  std::uint64_t latency_deviation_us = 0;
  std::uint64_t recent_mean_us = 0;  ///< Exponential average: a new value weighs 1/16.
  std::uint64_t recent_deviation_us = 0;
};

}  // namespace hoist
