// SPDX-License-Identifier: BSD-3-Clause
#include "cache/change_log.hpp"

#include <cstring>

#include "simd.hpp"

namespace hoist::software {
namespace {

constexpr auto kFirstWindowClass = static_cast<std::size_t>(PacketClass::kIpv4Tcp);

std::uint8_t protocol_of(PacketClass c) {
  switch (c) {
    case PacketClass::kIpv4Tcp:
      return wire::kIpTcp;
    case PacketClass::kIpv4Udp:
      return wire::kIpUdp;
    case PacketClass::kIpv4Sctp:
      return wire::kIpSctp;
    default:
      return wire::kIpIcmp;
  }
}

// Bits of a FlowKey that the window of a class shows.
FlowKey bits_in_window(PacketClass c) {
  FlowKey key{};
  key.eth_dst.fill(0xff);
  key.eth_src.fill(0xff);
  key.ip_tos = key.ip_ttl = 0xff;
  key.nw_src = key.nw_dst = Be32{0xffffffff};
  switch (c) {
    case PacketClass::kIpv4Tcp:
      key.tcp_flags = Be16{0x0fff};
      [[fallthrough]];
    case PacketClass::kIpv4Udp:
    case PacketClass::kIpv4Sctp:
      key.tp_src = key.tp_dst = Be16{0xffff};
      break;
    case PacketClass::kIpv4Icmp:
      key.tp_src = key.tp_dst = Be16{0x00ff};
      break;
    default:
      key.ip_proto = 0xff;
      break;
  }
  return key;
}

FlowKey to_key(const PacketMask& mask) {
  FlowKey key{};
  std::memcpy(static_cast<void*>(&key), mask.data(), sizeof mask);
  return key;
}

Change::Window make_window(const PacketMask& value, const PacketMask& mask, PacketClass c) {
  // What all regular packets of the class have in common.
  FlowKey constant{};
  constant.eth_type = Be16{wire::kEthIpv4};
  if (c != PacketClass::kIpv4Other) constant.ip_proto = protocol_of(c);
  const PacketMask same = packet_mask(constant);
  const PacketMask shown = packet_mask(bits_in_window(c));
  Change::Window out;
  for (std::size_t i = 0; i < kPacketWords; ++i) {
    if (((same[i] ^ value[i]) & mask[i] & ~shown[i]) != 0) return out;
  }
  out.can_match = true;
  out.mask = window_mask(to_key(mask), c).value();
  out.value = window_mask(to_key(value), c).value();
  return out;
}

bool overlaps(const Change& change, const ChangeLog::Packet& packet) {
  if (change.bridge != packet.bridge) return false;
  if ((packet.table_bits >> (change.table_id % 64) & 1) == 0) return false;
  if (change.has_in_port && change.in_port != packet.in_port) return false;
  if (packet.window != nullptr) {
    const auto i = static_cast<std::size_t>(packet.packet_class) - kFirstWindowClass;
    const Change::Window& window = change.windows[i];
    return window.can_match &&
           simd::matches48(packet.window, window.value.data(), window.mask.data());
  }
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < kPacketWords; ++i) {
    difference |= (packet.key[i] & change.mask[i]) ^ change.value[i];
  }
  return difference == 0;
}

}  // namespace

Change make_change(std::uint8_t bridge, std::uint8_t table_id, const MiniMatch& match,
                   const PacketMask& writes, bool may_move_in_port) {
  const Match full = match.expand();
  Change change{.bridge = bridge, .table_id = table_id};
  // A masked in_port is left out: it then seems to match all ports.
  change.has_in_port = full.mask.in_port == Be32{0xffffffff} && !may_move_in_port;
  change.in_port = full.value.in_port.host();
  FlowKey mask = full.mask;
  mask.in_port = Be32{0};
  change.mask = packet_mask(mask);
  change.value = packet_mask(full.value);
  for (std::size_t i = 0; i < kPacketWords; ++i) {
    change.mask[i] &= ~writes[i];
    change.value[i] &= change.mask[i];
  }
  for (std::size_t i = 0; i < Change::kWindowClasses; ++i) {
    const auto c = static_cast<PacketClass>(kFirstWindowClass + i);
    change.windows[i] = make_window(change.value, change.mask, c);
  }
  return change;
}

ChangeLog::~ChangeLog() {
  for (auto& set : sets_) delete set.load(std::memory_order_relaxed);
}

void ChangeLog::record(Version version, std::vector<Change> changes, bool touches_all) {
  touches_all |= changes.size() > kChangesPerVersion;
  if (touches_all) changes.clear();
  auto set = std::make_unique<Set>(Set{version, touches_all, std::move(changes)});
  auto& slot = sets_[version % kVersions];
  const Set* old = slot.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in touches().
  slot.store(set.release(), std::memory_order_release);
  if (old != nullptr) reclaimer_.retire(std::unique_ptr<Set>(const_cast<Set*>(old)));
}

bool ChangeLog::touches(const Packet& packet, Version since, Version now) const noexcept {
  if (now - since > kMaxLooks) return true;
  for (Version v = since + 1; v != now + 1; ++v) {
    const Set* set = sets_[v % kVersions].load(std::memory_order_acquire);
    if (set == nullptr || set->version != v || set->touches_all) return true;
    for (const Change& change : set->changes) {
      if (overlaps(change, packet)) return true;
    }
  }
  return false;
}

}  // namespace hoist::software
