// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "conntrack/fragment.hpp"
#include "conntrack/fragment_ledger.hpp"

struct rte_mbuf;

namespace hoist::software {

/// A fragment that is held.
struct HeldFragment {
  rte_mbuf* packet;
  std::uint16_t l3_offset;  ///< These four as in Fragment.
  std::uint16_t headers_end;
  std::uint16_t payload_offset;
  std::uint16_t payload_size;
};

/// The fragments that a worker holds until the packets that they are parts of are there. Owning
/// worker. It owns the mbufs; nothing is allocated after it is made.
///
/// 1. Fragments of a packet do not overlap (RFC 5722); they are linked in order of their offsets.
/// 2. A packet is forgotten when its last part goes: complete, or FragmentLedger::kTimeoutMs after
///    its first one came.
class FragmentTable {
 public:
  /// Parts of one packet at most: those of 65,535 bytes at FragmentLedger::kSizeLeastMin are 175.
  static constexpr std::size_t kPartsMost = 192;

  /// `ledger` must outlive this.
  explicit FragmentTable(FragmentLedger& ledger);
  ~FragmentTable();
  FragmentTable(const FragmentTable&) = delete;
  FragmentTable& operator=(const FragmentTable&) = delete;

  enum class Admission : std::uint8_t {
    kHeld,
    kComplete,  ///< Held, and with it the packet is whole: take() it.
    kRefused,   ///< Switched off, too small, overlapping, or there is no room. The caller keeps it.
  };
  /// `key` is whole: the packet's own and where it stands.
  Admission add(const FragmentKey& key, const Fragment& fragment, rte_mbuf* packet,
                std::uint64_t now_ms) noexcept;

  /// Takes out the parts of a complete packet, in order: kPartsMost places at least. The caller
  /// owns them. Returns how many.
  std::size_t take(const FragmentKey& key, std::span<HeldFragment> out) noexcept;

  /// Frees what has waited too long; returns how many. Costs nothing most times.
  std::size_t expire(std::uint64_t now_ms) noexcept;

 private:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  struct Node {
    HeldFragment fragment;
    std::uint32_t next;
  };
  struct Incomplete {
    std::uint64_t expires_ms;
    std::uint32_t first = kEnd;
    std::uint32_t total_size = 0;  ///< Of the payload; 0: the last fragment is not there.
    std::uint32_t held_size = 0;
    std::uint32_t count = 0;
  };
  struct Hash {
    std::size_t operator()(const FragmentKey& key) const noexcept {
      return absl::HashOf(std::string_view(reinterpret_cast<const char*>(&key), sizeof key));
    }
  };
  using Packets = absl::flat_hash_map<FragmentKey, Incomplete, Hash>;

  [[nodiscard]] bool may_hold(const FragmentKey& key, const Fragment& fragment) noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  [[nodiscard]] bool link(Incomplete& whole, const Fragment& fragment, rte_mbuf* packet) noexcept;
  [[nodiscard]] std::uint32_t take_node() noexcept;
  void give_back(std::uint32_t node) noexcept;
  std::size_t free_all(const Incomplete& whole) noexcept;

  FragmentLedger& ledger_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = 0;  ///< First of the nodes that are not used.
  Packets packets_;
  std::uint64_t next_look_ms_ = 0;
};

}  // namespace hoist::software
