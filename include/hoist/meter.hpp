// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hoist/rule.hpp"

namespace hoist {

enum class MeterId : std::uint32_t {
  kMax = 0xffff0000,
  kSlowpath = 0xfffffffd,
  kController = 0xfffffffe,
  kAll = 0xffffffff,
};

struct MeterBand {
  enum class Type : std::uint8_t { kDrop = 1, kDscpRemark = 2 };  // OFPMBT_*
  Type type = Type::kDrop;
  std::uint8_t prec_level = 0;   ///< kDscpRemark: how many levels the drop precedence rises.
  std::uint32_t rate = 0;        ///< Kilobits (1,000 bits) or packets a second.
  std::uint32_t burst_size = 0;  ///< Kilobits or packets; 0: one second at the rate.
  bool operator==(const MeterBand&) const = default;
};

/// A meter as the controller set it (OpenFlow 1.3, 5.7 and A.3.4.4); echoed as it was set.
struct MeterConfig {
  static constexpr std::uint16_t kKbps = 1u << 0;  // OFPMF_*
  static constexpr std::uint16_t kPktps = 1u << 1;
  static constexpr std::uint16_t kBurst = 1u << 2;
  static constexpr std::uint16_t kStats = 1u << 3;
  static constexpr std::size_t kBandsMax = 8;

  /// Which bytes of a frame count against a rate in kbps.
  enum class Accounting : std::uint8_t {
    kLayer2,  ///< The Ethernet frame without FCS: OpenFlow's and Open vSwitch's.
    kLayer1,  ///< And FCS, preamble and gap: 24 bytes more, what the wire carries.
    kLayer3,  ///< From the network header on.
  };

  MeterId id{};
  std::uint16_t flags = kKbps;
  Accounting accounting = Accounting::kLayer2;
  std::vector<MeterBand> bands;
  bool operator==(const MeterConfig&) const = default;
};

struct MeterStats {
  TrafficCount in;                  ///< All that the meter saw.
  std::vector<TrafficCount> bands;  ///< What each band dropped or remarked.
};

/// A meter that came or changed, or, without a configuration, went.
struct MeterChange {
  MeterId id;
  std::shared_ptr<const MeterConfig> config;
};

/// What a meter in hardware gained since the last collection. It has one band, which drops.
struct MeterHit {
  BridgeId bridge;
  MeterId meter;
  TrafficCount in;
  TrafficCount dropped;
};

}  // namespace hoist
