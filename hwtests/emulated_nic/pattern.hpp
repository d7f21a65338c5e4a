// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include "answer.hpp"
#include "fields.hpp"
#include "profile.hpp"

namespace emulated_nic {

/// A compiled pattern: a packet matches when (its fields & mask) == value.
struct Pattern {
  Fields value;
  Fields mask;
  bool matches_eth = false;   ///< It has an ETH item.
  bool matches_vlan = false;  ///< It has a VLAN item, or asks for has_vlan.

  /// Whether every packet that matches has all (or any) of `bits`.
  [[nodiscard]] bool demands_all(std::uint32_t bits) const { return (demanded() & bits) == bits; }
  [[nodiscard]] bool demands_any(std::uint32_t bits) const { return (demanded() & bits) != 0; }

 private:
  [[nodiscard]] std::uint32_t demanded() const {
    return value.get<std::uint32_t>(slot::kPresence) & mask.get<std::uint32_t>(slot::kPresence);
  }
};

/// Compiles the pattern of a rule on `port`, or says which item the profile's NIC does not take and
/// why. Attributes are taken to be valid.
[[nodiscard]] Answer<Pattern> compile_pattern(const Profile& profile, std::uint16_t port,
                                              const rte_flow_attr& attr,
                                              const rte_flow_item* items);

}  // namespace emulated_nic
