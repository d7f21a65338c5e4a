// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "conntrack/fragment_table.hpp"
#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// A packet put together of its fragments, in memory of its own: connection tracking looks at it
/// and translates it, then its fragments follow. It begins with the IP header, without Ethernet,
/// so that 65,535 bytes fit an mbuf. Owning worker; nothing is allocated after it is made. Cost: a
/// copy of the packet.
class WholePacket {
 public:
  WholePacket();
  ~WholePacket();
  WholePacket(const WholePacket&) = delete;
  WholePacket& operator=(const WholePacket&) = delete;

  /// Replaces what was there by the packet of these parts: all of them, in order. False: it would
  /// be longer than IP allows.
  [[nodiscard]] bool assemble(std::span<const HeldFragment> parts) noexcept;

  /// What has been put together: good for packet_facts(), translate_packet() and help_packet().
  /// Its IP checksum is vouched for and not written.
  [[nodiscard]] rte_mbuf& packet() noexcept { return *packet_; }
  [[nodiscard]] Layers& layers() noexcept { return layers_; }

  /// Makes a part, the last one, as much longer as the whole has become. False: there is no room,
  /// or nothing would be left; the part is of no use any more.
  [[nodiscard]] bool resize(HeldFragment& part, int bytes) noexcept;

  /// Gives a part the addresses and the payload that the whole has now. The caller owns its mbuf
  /// alone.
  void write_back(const HeldFragment& part) const noexcept;

 private:
  [[nodiscard]] std::uint8_t* ip() const noexcept { return frame_.get() + kEthernet; }
  [[nodiscard]] std::size_t copy_headers(const HeldFragment& first) noexcept;

  static constexpr std::size_t kEthernet = 14, kSizeMost = 65535;

  std::unique_ptr<std::uint8_t[]> frame_;
  std::unique_ptr<rte_mbuf> packet_;
  Layers layers_;
  std::uint8_t family_ = 4;
  std::size_t headers_size_ = 0;  ///< Before the payload.
};

}  // namespace hoist::software
