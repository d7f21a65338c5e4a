// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/port_masks.hpp"
#include "classifier/classifier.hpp"
#include "hoist/datapath.hpp"
#include "hoist/types.hpp"
#include "pipeline/mac_table.hpp"

struct rte_mempool;

namespace hoist::software {

class Meter;
struct QueueLoad;
class TransmitLock;

inline constexpr std::uint16_t kNoSlot = 0xffff;
inline constexpr std::uint16_t kMaxPorts = 256;  ///< Of all bridges together.

/// A port as workers see it. Its slot is its index in View::ports.
struct PortView {
  bool is_present = false;
  std::uint8_t bridge = 0;
  std::uint16_t ethdev = 0;
  PortNo number{};
  std::uint32_t flags = 0;      ///< PortFlags.
  std::uint32_t max_frame = 0;  ///< Bytes of the longest frame that may leave.
  std::uint16_t tx_queues = 1;
  std::uint64_t trail_root = 0;     ///< Where trails start (TrailStore); even, never given twice.
  TransmitLock* tx_lock = nullptr;  ///< Set where workers have to share queues.
  std::shared_ptr<const PortMasks> masks;

  /// Says whether packets may leave here, those up to max_frame.
  [[nodiscard]] bool is_open() const noexcept {
    return is_present && (flags & (PortFlags::kDown | PortFlags::kNoFwd)) == 0;
  }
};

/// The tables of a bridge. Lives as long as the datapath; a table appears when it gets its first
/// rule.
struct BridgeTables {
  std::array<std::atomic<const Classifier*>, kTableCount> tables{};
  std::atomic<Meter*> controller_meter{nullptr};  ///< Limits packet-ins.
  MacTable macs;

  /// Null: the table is empty. Acquire: pairs with the release that publishes a new table.
  [[nodiscard]] const Classifier* table(std::uint8_t table_id) const noexcept {
    return tables[table_id].load(std::memory_order_acquire);
  }
};

struct BridgeView {
  BridgeTables* tables = nullptr;
  std::vector<std::uint16_t> slots;          ///< Of its ports.
  std::vector<std::uint16_t> slot_of_small;  ///< By port number, for the small ones.
};

/// A receive queue that a worker polls.
struct ReceiveQueue {
  std::uint16_t slot;
  std::uint16_t ethdev;
  std::uint16_t queue;
  std::shared_ptr<QueueLoad> load;
};

/// All that workers know of configuration: one immutable snapshot, replaced as a whole.
struct View {
  std::vector<PortView> ports;
  std::vector<BridgeView> bridges;
  std::vector<std::vector<ReceiveQueue>> queues;  ///< By worker.

  [[nodiscard]] std::uint16_t slot_of(std::uint8_t bridge, PortNo number) const noexcept {
    const BridgeView& b = bridges[bridge];
    const std::uint32_t n = to_integer(number);
    if (n < b.slot_of_small.size()) return b.slot_of_small[n];
    for (const std::uint16_t slot : b.slots) {
      if (ports[slot].number == number) return slot;
    }
    return kNoSlot;
  }
};

}  // namespace hoist::software
