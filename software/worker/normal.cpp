// SPDX-License-Identifier: BSD-3-Clause
#include "worker/normal.hpp"

#include <rte_mbuf.h>

#include <cstring>

#include "packet/wire.hpp"
#include "worker/records.hpp"

namespace hoist::software {
namespace {

struct Addresses {
  MacAddress dst;
  MacAddress src;
  std::uint16_t vlan = 0;  ///< 0: no tag.
};

Addresses read_addresses(const rte_mbuf& packet) {
  const auto* frame = rte_pktmbuf_mtod(&packet, const std::uint8_t*);
  Addresses out;
  std::memcpy(out.dst.data(), frame, 6);
  std::memcpy(out.src.data(), frame + 6, 6);
  // A tag counts as one only with a type behind it, as in parse().
  if (packet.data_len >= 18 && wire::is_vlan(wire::load16(frame + 12))) {
    out.vlan = wire::load16(frame + 14) & kVlanVidMask;
  }
  return out;
}

// IEEE 802.1Q, table 8-1: never forwarded by bridges.
bool is_link_local(const MacAddress& mac) {
  static constexpr std::uint8_t kPrefix[] = {0x01, 0x80, 0xc2, 0x00, 0x00};
  return std::memcmp(mac.data(), kPrefix, sizeof kPrefix) == 0 && (mac[5] & 0xf0) == 0;
}
bool is_group(const MacAddress& mac) { return (mac[0] & 1) != 0; }

void learn(Worker& worker, std::uint8_t bridge, PortNo in_port, const Addresses& a) {
  MacTable& macs = worker.view->bridges[bridge].tables->macs;
  const MacTable::Found found = macs.find(a.src, a.vlan);
  if (found.is_found && found.port == in_port) {
    return macs.touch(found.index, static_cast<std::uint32_t>(worker.now_ms / 1000));
  }
  std::uint64_t address = std::uint64_t{a.vlan} << 48;
  for (std::size_t i = 0; i < 6; ++i) address |= std::uint64_t{a.src[i]} << (8 * i);
  const LearnFilter::Sighting seen{address, in_port, macs.generation(), bridge};
  if (!worker.learn_filter.admit(seen, worker.now_ms)) return;
  const LearnRecord record{.bridge = bridge, .vlan = a.vlan, .port = in_port, .mac = a.src};
  const auto room = worker.to_control.reserve(sizeof record);
  if (room.empty()) return;  // The next packet tells it again, after a while.
  std::memcpy(room.data(), &record, sizeof record);
  worker.to_control.commit();
}

}  // namespace

NormalDecision decide_normal(Worker& worker, std::uint8_t bridge, PortNo in_port,
                             const rte_mbuf& packet) noexcept {
  using Kind = NormalDecision::Kind;
  const Addresses a = read_addresses(packet);
  if (!is_group(a.src) && worker.view->slot_of(bridge, in_port) != kNoSlot) {
    learn(worker, bridge, in_port, a);
  }
  if (is_link_local(a.dst)) return {Kind::kNowhere};
  if (is_group(a.dst)) return {Kind::kFlood};
  // Its own source has just been learned here, though the table will have it only later.
  if (a.dst == a.src) return {Kind::kNowhere};
  const MacTable::Found found = worker.view->bridges[bridge].tables->macs.find(a.dst, a.vlan);
  if (!found.is_found) return {Kind::kFlood};
  if (found.port == in_port) return {Kind::kNowhere};
  return {Kind::kPort, found.port};
}

}  // namespace hoist::software
