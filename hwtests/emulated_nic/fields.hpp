// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace emulated_nic {

/// Everything a rule can match, as one flat block. Headers lie in it as they lie on the wire, so
/// that a pattern item's spec and mask, which are wire headers too, are copied to the same place.
/// Slots that exclude each other (IPv4, IPv6 and ARP; the L4 headers) share bytes: the presence
/// bits tell which.
///
///       0  presence bits (host order)      32  IPv4, IPv6 or ARP header (40)
///       4  source port (host order)        72  IPv6 fragment header (8)
///       8  Ethernet header (14)            80  L4 header, or ICMPv6 with ND options (48)
///      22  VLAN tci, type (4); 26: second 128  two MPLS labels (8)
///                                         136  MARK, 140 META, 144 TAG[8] (host order)
namespace slot {
inline constexpr std::size_t kPresence = 0;
inline constexpr std::size_t kPort = 4;
inline constexpr std::size_t kEth = 8;
inline constexpr std::size_t kVlan = 22;
inline constexpr std::size_t kVlan2 = 26;
inline constexpr std::size_t kL3 = 32;
inline constexpr std::size_t kIpv6Frag = 72;
inline constexpr std::size_t kL4 = 80;
inline constexpr std::size_t kNdOptSla = 104;
inline constexpr std::size_t kNdOptTla = 112;
inline constexpr std::size_t kMpls = 128;
inline constexpr std::size_t kMark = 136;
inline constexpr std::size_t kMeta = 140;
inline constexpr std::size_t kTag = 144;
inline constexpr std::size_t kEnd = 176;
}  // namespace slot

inline constexpr unsigned kTagCount = 8;

/// What a packet has. An item of a pattern asks for its bit.
enum Presence : std::uint32_t {
  kTagged = 1u << 0,        ///< At least one VLAN tag.
  kDoubleTagged = 1u << 1,  ///< At least two.
  kIpv4 = 1u << 2,
  kIpv6 = 1u << 3,
  kArp = 1u << 4,
  kMpls = 1u << 5,
  kMplsDeep = 1u << 6,  ///< At least two labels.
  kFragment = 1u << 7,  ///< A piece of a fragmented IPv4 or IPv6 packet.
  kIpv6FragExt = 1u << 8,
  kTcp = 1u << 9,
  kUdp = 1u << 10,
  kSctp = 1u << 11,
  kIcmp = 1u << 12,
  kIcmp6 = 1u << 13,
  kNdNs = 1u << 14,
  kNdNa = 1u << 15,
  kNdOptSla = 1u << 16,
  kNdOptTla = 1u << 17,
  kIpv6HopExt = 1u << 18,
  kIpv6RouteExt = 1u << 19,
  kIpv6AuthExt = 1u << 20,
  kIpv6EspExt = 1u << 21,
  kIpv6DestExt = 1u << 22,
  kIpv6MobilExt = 1u << 23,
  kIpv6HipExt = 1u << 24,
  kIpv6Shim6Ext = 1u << 25,
};

/// Values or masks of all slots.
struct Fields {
  static constexpr std::size_t kWords = slot::kEnd / 8;
  alignas(8) std::array<std::uint64_t, kWords> words{};

  [[nodiscard]] std::uint8_t* at(std::size_t offset) noexcept {
    return reinterpret_cast<std::uint8_t*>(words.data()) + offset;
  }
  [[nodiscard]] const std::uint8_t* at(std::size_t offset) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(words.data()) + offset;
  }
  template <class T>
  [[nodiscard]] T get(std::size_t offset) const noexcept {
    T value;
    std::memcpy(&value, at(offset), sizeof value);
    return value;
  }
  template <class T>
  void set(std::size_t offset, T value) noexcept {
    std::memcpy(at(offset), &value, sizeof value);
  }
  bool operator==(const Fields&) const = default;
};

}  // namespace emulated_nic
