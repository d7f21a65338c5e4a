// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "hoist/datapath.hpp"
#include "hoist/error.hpp"

namespace hoist {

/// Fragments of one family that came to connection tracking, one by one, since the start.
struct FragmentFamilyReport {
  bool is_enabled = true;         ///< Else all are invalid.
  std::uint32_t min_size = 0;     ///< Bytes from the IP header on, of any but the last.
  std::uint64_t accepted = 0;     ///< Held.
  std::uint64_t completed = 0;    ///< Sent on with the rest of their packets.
  std::uint64_t expired = 0;      ///< Dropped: the rest did not come in time.
  std::uint64_t too_small = 0;    ///< Invalid.
  std::uint64_t overlapping = 0;  ///< Invalid.
  std::uint64_t purged = 0;       ///< Dropped when their worker went.
  bool operator==(const FragmentFamilyReport&) const = default;
};
struct FragmentReport {
  std::array<FragmentFamilyReport, 2> families{};  ///< IPv4, IPv6.
  std::uint32_t max_held = 0;                      ///< Of both together.
  std::uint32_t held = 0;                          ///< Now.
};

/// The fragments that connection tracking holds until their packets are whole. Control thread; what
/// is set holds for fragments that come from then on.
class Fragments {
 public:
  virtual ~Fragments() = default;

  [[nodiscard]] virtual FragmentReport report() const = 0;
  virtual void set_enabled(bool is_ipv6, bool is_enabled) = 0;
  /// Fails with kInvalidArgument below 400.
  virtual Result<void> set_min_size(bool is_ipv6, std::uint32_t bytes) = 0;
  /// Fails with kInvalidArgument above 5,000.
  virtual Result<void> set_max_held(std::uint32_t most) = 0;
};

/// A datapath that holds fragments.
class HoldsFragments {
 public:
  virtual ~HoldsFragments() = default;
  [[nodiscard]] virtual Fragments& fragments() = 0;
};

/// Null: the datapath holds none (a stand-in in a test).
[[nodiscard]] inline Fragments* fragments_of(Datapath& datapath) {
  auto* holds = dynamic_cast<HoldsFragments*>(&datapath);
  return holds == nullptr ? nullptr : &holds->fragments();
}

}  // namespace hoist
