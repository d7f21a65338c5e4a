// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "action_names.hpp"
#include "fields.hpp"

namespace emulated_nic {

inline constexpr std::size_t kMaxItems = 32;
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// One scripted failure of rte_flow_create and its kin.
struct CreateFault {
  std::uint64_t nth = 0;    ///< Which create fails, from 1, counted since the profile was loaded.
  std::uint64_t count = 1;  ///< How many in a row.
  int code = 0;             ///< errno.
};

/// What the emulated NIC can do, and what goes wrong with it. README.md of hwtests describes the
/// file.
struct Profile {
  std::string name = "none";
  std::vector<std::uint16_t> ports;  ///< Emulated ports; empty: all.

  // Steering.
  bool has_transfer = false;
  std::uint32_t group_max = 0;        ///< Highest group number.
  std::uint32_t root_priorities = 1;  ///< Levels in group 0, 0 being the highest.
  std::uint32_t priorities = 1;       ///< Levels in the other groups, and in all transfer groups.
  bool jump_backward = false;         ///< Whether JUMP may lead to a lower group.
  bool transfer_all_ports = false;    ///< A transfer rule without port item sees every port.
  bool is_proxy_first = false;     ///< The transfer proxy is the lowest port, not the port itself.
  bool vlan_optional = false;      ///< `eth / ipv4` matches tagged packets too.
  bool eth_optional = false;       ///< A pattern may begin above Ethernet.
  bool keeps_indirects = false;    ///< Indirect actions outlive a stop of their port.
  bool accepts_duplicates = true;  ///< The same match twice in one group and priority.
  bool mark_crosses_domains = false;  ///< A transfer rule's MARK/META reaches software.
  std::uint32_t mark_max = 0;         ///< Highest MARK.
  unsigned tag_count = 0;             ///< TAG registers.
  bool pop_vlan_needs_match = false;
  bool push_vlan_in_ingress = true;
  bool ttl_stops_at_zero = false;  ///< DEC_TTL leaves 0 alone; else it wraps to 255.

  /// Per row of item_rows(): the slots' bits that may be matched. Nothing: no such item.
  std::array<std::optional<Fields>, kMaxItems> items;
  ActionSet ingress_actions;
  ActionSet transfer_actions;
  std::bitset<64> modify_fields;  ///< What MODIFY_FIELD reaches; see modify.hpp.

  // Room.
  std::uint64_t room_total = kNoLimit;
  std::uint64_t room_root = kNoLimit;   ///< In each group 0.
  std::uint64_t room_group = kNoLimit;  ///< In each other group.
  std::uint64_t room_counters = kNoLimit;
  std::uint64_t insertion_us = 0;  ///< What each create costs.

  // Meters.
  std::uint64_t meter_max = 0;
  std::uint64_t meter_profile_max = 0;
  std::uint64_t meter_policy_max = 0;
  unsigned meter_mantissa_bits = 0;  ///< Rates and bursts are mantissa * 2^exponent; 0: exact.
  bool meter_packet_mode = false;
  bool meter_counts_drops_only = false;

  // Queue API.
  bool has_queues = false;
  std::uint32_t completion_delay = 0;  ///< Pulls after which a completion is seen.

  // Faults.
  std::vector<CreateFault> create_faults;
  std::vector<std::uint16_t> links_down;
};

/// A profile from TOML text; or what is wrong with it, for people.
struct ProfileOrError {
  Profile profile;
  std::string error;  ///< Empty: fine.
};
[[nodiscard]] ProfileOrError parse_profile(std::string_view toml_text);
[[nodiscard]] ProfileOrError load_profile(const std::string& path);

}  // namespace emulated_nic
