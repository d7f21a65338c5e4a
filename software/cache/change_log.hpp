// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hoist/datapath.hpp"
#include "packet/packet_class.hpp"
#include "packet/window.hpp"
#include "pipeline/effects.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// One rule that came or went, as far as the flow cache has to know it.
struct Change {
  /// What regular packets of a class must have for the rule to match.
  struct Window {
    bool can_match = false;
    WindowMask value{};
    WindowMask mask{};
  };
  static constexpr std::size_t kWindowClasses = 5;  // kIpv4Tcp to kIpv4Other

  std::uint8_t bridge = 0;
  std::uint8_t table_id = 0;
  bool has_in_port = false;
  std::uint32_t in_port = 0;
  PacketMask
      value{};  ///< Packet-derived bits that no action may have changed before; in_port left out.
  PacketMask mask{};
  std::array<Window, kWindowClasses> windows{};
};

/// `writes`: bits that actions may have changed before a packet gets to this rule.
[[nodiscard]] Change make_change(std::uint8_t bridge, std::uint8_t table_id, const MiniMatch& match,
                                 const PacketMask& writes, bool may_move_in_port);

/// The changes of the last versions: what a worker asks whether an older cache entry still holds.
///
/// Control writes, workers read without a lock; a set of changes is freed when no worker can read
/// it.
class ChangeLog {
 public:
  using Version = Datapath::Version;
  static constexpr std::uint32_t kVersions = 64;  ///< How far back it reaches.
  static constexpr std::size_t kChangesPerVersion = 64;

  explicit ChangeLog(Reclaimer& reclaimer) : reclaimer_(reclaimer) {}
  ~ChangeLog();

  /// Control thread, before `version` is published. More than kChangesPerVersion changes, or
  /// `touches_all`: this version touches every packet.
  void record(Version version, std::vector<Change> changes, bool touches_all);

  /// A packet, as an entry of the cache knows it.
  struct Packet {
    std::uint8_t bridge;
    std::uint32_t in_port;
    std::uint64_t table_bits;  ///< Segment::table_bits of its path.
    PacketClass packet_class;
    const std::uint8_t* window;  ///< Regular packets: 48 bytes of frame. Else null.
    const std::uint64_t* key;    ///< Others: kPacketWords of FlowKey.
  };
  /// Worker. Says whether some change after version `since`, up to `now`, may touch the packet.
  [[nodiscard]] bool touches(const Packet& packet, Version since, Version now) const noexcept;

 private:
  /// An entry further behind is walked again, which costs no more than looking further.
  static constexpr std::uint32_t kMaxLooks = 32;
  struct Set {
    Version version;
    bool touches_all;
    std::vector<Change> changes;
  };
  Reclaimer& reclaimer_;
  std::array<std::atomic<const Set*>, kVersions> sets_{};
};

}  // namespace hoist::software
