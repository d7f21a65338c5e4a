// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hoist::offload {

/// A kind of packet that a NIC's pattern items and software's parser see differently. A hardware
/// rule that is exact only without such packets names the hazard, and steering hands them to
/// software before any table.
enum class Hazard : std::uint8_t {
  kLength8023,  ///< 802.3 frames: software looks behind LLC/SNAP for the EtherType.
  kTagged,      ///< Any VLAN tag; only where tags are not handled in hardware (TagMode::kUntagged).
  kDoubleTagged,   ///< Two tags or more; only in TagMode::kSingle.
  kIpv4,           ///< Malformed IPv4 headers.
  kIpv4Fragment,   ///< IPv4 fragments, and options.
  kIpv6,           ///< Malformed IPv6 headers.
  kIpv6Extension,  ///< IPv6 with extension headers, fragments among them.
  kArp,            ///< ARP that is not Ethernet/IPv4, or malformed.
  kShortTcp4,  ///< A protocol number without its whole header, whose fields are zero in software.
  kShortUdp4,
  kShortSctp4,
  kShortIcmp4,
  kShortTcp6,
  kShortUdp6,
  kShortSctp6,
  kShortIcmp6,
  kCount,
};

/// A set of hazards as std::bitset has them, but of two bytes: each rule keeps several.
class HazardSet {
 public:
  [[nodiscard]] static constexpr std::size_t size() noexcept {
    return static_cast<std::size_t>(Hazard::kCount);
  }
  constexpr HazardSet& set() noexcept {
    bits_ = kAll;
    return *this;
  }
  constexpr HazardSet& set(std::size_t i, bool value = true) noexcept {
    const unsigned bit = 1u << i;
    bits_ = static_cast<std::uint16_t>(value ? bits_ | bit : bits_ & ~bit);
    return *this;
  }
  constexpr HazardSet& reset() noexcept { return *this = {}; }
  [[nodiscard]] constexpr bool test(std::size_t i) const noexcept { return (bits_ >> i & 1) != 0; }
  [[nodiscard]] constexpr bool any() const noexcept { return bits_ != 0; }
  [[nodiscard]] constexpr bool none() const noexcept { return bits_ == 0; }

  constexpr HazardSet& operator|=(HazardSet other) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return *this;
  }
  constexpr HazardSet& operator&=(HazardSet other) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ & other.bits_);
    return *this;
  }
  [[nodiscard]] constexpr HazardSet operator~() const noexcept {
    HazardSet out;
    out.bits_ = static_cast<std::uint16_t>(~bits_ & kAll);
    return out;
  }
  friend constexpr HazardSet operator|(HazardSet a, HazardSet b) noexcept { return a |= b; }
  friend constexpr HazardSet operator&(HazardSet a, HazardSet b) noexcept { return a &= b; }
  constexpr bool operator==(const HazardSet&) const noexcept = default;

 private:
  static constexpr std::uint16_t kAll = (1u << static_cast<unsigned>(Hazard::kCount)) - 1;
  std::uint16_t bits_ = 0;
};
static_assert(static_cast<unsigned>(Hazard::kCount) <= 16);

inline void add(HazardSet& set, Hazard hazard) noexcept {
  set.set(static_cast<std::size_t>(hazard));
}
[[nodiscard]] inline bool contains(const HazardSet& set, Hazard hazard) noexcept {
  return set.test(static_cast<std::size_t>(hazard));
}

/// The hazard of a cut-off L4 header; nothing for a protocol without an item.
[[nodiscard]] constexpr std::optional<Hazard> short_hazard(bool is_ipv6,
                                                           std::uint8_t ip_proto) noexcept {
  switch (ip_proto) {
    case 6:
      return is_ipv6 ? Hazard::kShortTcp6 : Hazard::kShortTcp4;
    case 17:
      return is_ipv6 ? Hazard::kShortUdp6 : Hazard::kShortUdp4;
    case 132:
      return is_ipv6 ? Hazard::kShortSctp6 : Hazard::kShortSctp4;
    case 1:
      return is_ipv6 ? std::nullopt : std::optional(Hazard::kShortIcmp4);
    case 58:
      return is_ipv6 ? std::optional(Hazard::kShortIcmp6) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// What hardware does with VLAN tags on one bridge. Rules that do not name the VLAN match packets
/// with and without tags, and a NIC needs a rule for each form, so tags stay in software until a
/// rule needs them.
enum class TagMode : std::uint8_t {
  kUntagged,  ///< One hardware rule a rule; tagged packets go to software where that would differ.
  kSingle,    ///< Untagged and single-tagged forms; packets with more tags go to software.
};

}  // namespace hoist::offload
