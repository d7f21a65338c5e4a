// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/consulted.hpp"

#include <algorithm>
#include <cstring>

namespace hoist::software {
namespace {

constexpr auto kAllClasses = static_cast<PacketClassSet>((1u << kPacketClassCount) - 1);

/// Where packets may get to, and as what.
struct Reach {
  std::bitset<256> tables;
  std::vector<PortNo> in_ports;
  PacketClassSet classes = 0;
  Effects effects;  ///< Of all rules on the way.
  bool is_table0_again = false;
};

Reach find_reach(const Tables& tables, PortNo in_port, PacketClass packet_class) {
  Reach reach{.in_ports = {in_port},
              .classes = static_cast<PacketClassSet>(1u << static_cast<unsigned>(packet_class))};
  reach.tables.set(0);
  for (bool has_grown = true; has_grown;) {
    const Effects before = reach.effects;
    for (std::size_t t = 0; t < kTableCount; ++t) {
      if (!reach.tables[t] || !tables[t]) continue;
      tables[t]->effects.collect(reach.in_ports, reach.effects.moves_in_port, reach.classes,
                                 reach.effects);
    }
    has_grown = !(before == reach.effects);
    reach.tables |= reach.effects.targets;
    reach.is_table0_again = reach.effects.targets[0];
    if (reach.effects.changes_class) reach.classes = kAllClasses;
    for (const PortNo port : reach.effects.in_ports) {
      if (std::ranges::find(reach.in_ports, port) == reach.in_ports.end()) {
        reach.in_ports.push_back(port);
      }
    }
  }
  return reach;
}

void add_table(const Table& table, const std::vector<PortNo>& in_ports, PacketClassSet classes,
               PacketMask& mask) {
  for (std::size_t c = 0; c < kPacketClassCount; ++c) {
    if ((classes >> c & 1) == 0) continue;
    for (const PortNo port : in_ports) {
      merge(mask, packet_mask(table.classifier->consulted(port, static_cast<PacketClass>(c))));
    }
  }
}

void leave_out_in_port(PacketMask& mask) {
  FlowKey key{};
  std::memcpy(static_cast<void*>(&key), mask.data(), sizeof mask);
  key.in_port = Be32{0};
  mask = packet_mask(key);
}

// Consulting an 802.1Q field says whether there is a tag; consulting none, a tag makes no
// difference.
ClassMask make_class_mask(const PacketMask& consulted, PacketClass packet_class) {
  ClassMask mask;
  mask.wide = consulted;
  FlowKey key{};
  std::memcpy(static_cast<void*>(&key), consulted.data(), sizeof consulted);
  if (const auto window = window_mask(key, packet_class)) {
    std::ranges::copy(*window, mask.window.begin());
  }
  return mask;
}

}  // namespace

Consulted consulted(const Tables& tables, PortNo in_port, PacketClass packet_class) {
  const Reach reach = find_reach(tables, in_port, packet_class);
  Consulted out;
  out.mask = reach.effects.reads;
  out.writes = reach.effects.writes;
  if (reach.effects.moves_in_port) {
    out.mask.fill(~std::uint64_t{0});
  } else {
    const auto own_class = static_cast<PacketClassSet>(1u << static_cast<unsigned>(packet_class));
    if (tables[0]) add_table(*tables[0], {in_port}, own_class, out.mask);
    for (std::size_t t = reach.is_table0_again ? 0 : 1; t < kTableCount; ++t) {
      if (reach.tables[t] && tables[t]) {
        add_table(*tables[t], reach.in_ports, reach.classes, out.mask);
      }
    }
  }
  leave_out_in_port(out.mask);
  return out;
}

std::shared_ptr<const PortMasks> make_port_masks(const Tables& tables, PortNo in_port,
                                                 const PortMasks* old, std::uint32_t& last_id) {
  auto masks = std::make_shared<PortMasks>();
  masks->is_blind = true;
  bool has_changed = old == nullptr;
  for (std::size_t i = 0; i < kPacketClassCount; ++i) {
    const auto packet_class = static_cast<PacketClass>(i);
    const PacketMask mask = consulted(tables, in_port, packet_class).mask;
    ClassMask& out = masks->classes[i];
    out = make_class_mask(mask, packet_class);
    masks->is_blind &= mask == PacketMask{};
    const bool is_same = old != nullptr && old->classes[i].wide == mask;
    out.id = is_same ? old->classes[i].id : ++last_id;
    has_changed |= !is_same;
  }
  if (!has_changed) return nullptr;
  return masks;
}

}  // namespace hoist::software
