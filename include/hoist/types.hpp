// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <type_traits>

namespace hoist {

/// An integer in network byte order. Construction from and conversion to host order are explicit,
/// so that the compiler objects where a byte swap was forgotten.
template <class T>
class BigEndian {
 public:
  constexpr BigEndian() = default;
  constexpr explicit BigEndian(T host) noexcept : wire_(swapped(host)) {}
  [[nodiscard]] constexpr T host() const noexcept { return swapped(wire_); }
  /// The value as it lies in memory.
  [[nodiscard]] constexpr T wire() const noexcept { return wire_; }
  static constexpr BigEndian from_wire(T wire) noexcept {
    BigEndian b;
    b.wire_ = wire;
    return b;
  }
  constexpr bool operator==(const BigEndian&) const = default;

 private:
  static constexpr T swapped(T v) noexcept {
    if constexpr (std::endian::native == std::endian::big) return v;
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(v);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(v);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(v);
  }
  T wire_ = 0;
};

using Be16 = BigEndian<std::uint16_t>;
using Be32 = BigEndian<std::uint32_t>;
using Be64 = BigEndian<std::uint64_t>;

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv6Address = std::array<std::uint8_t, 16>;

/// OpenFlow port number, in the 32-bit numbering of OpenFlow 1.1 and later.
enum class PortNo : std::uint32_t {
  kMax = 0xffffff00,
  kInPort = 0xfffffff8,
  kTable = 0xfffffff9,
  kNormal = 0xfffffffa,
  kFlood = 0xfffffffb,
  kAll = 0xfffffffc,
  kController = 0xfffffffd,
  kLocal = 0xfffffffe,
  kAny = 0xffffffff,
};

/// Index of a bridge of this daemon, from 0.
enum class BridgeId : std::uint8_t {};

/// A rule's dense slot number, from 1 (0: no rule). Reused only after both planes have let go.
enum class RuleId : std::uint32_t { kNone = 0 };

/// A DPDK ethdev port id.
enum class EthdevId : std::uint16_t { kNone = 0xffff };

template <class Enum>
[[nodiscard]] constexpr auto to_integer(Enum e) noexcept {
  return static_cast<std::underlying_type_t<Enum>>(e);
}

inline constexpr std::uint8_t kTableCount = 254;  ///< Tables 0 to 253; 254 is internal, 255 is "all".

}  // namespace hoist
