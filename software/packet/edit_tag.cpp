// SPDX-License-Identifier: BSD-3-Clause
#include "packet/edit.hpp"
#include "packet/edit_room.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using namespace wire;

constexpr std::size_t kAddresses = 12;  // Both Ethernet addresses stand before the outer tag.
constexpr std::uint32_t kBottom = 0x100;

void move_by(Layers& layers, int bytes) noexcept {
  const auto moved = [bytes](std::uint16_t offset) {
    return offset == Layers::kNone ? offset : static_cast<std::uint16_t>(offset + bytes);
  };
  layers.l2_end = moved(layers.l2_end);
  layers.l3_offset = moved(layers.l3_offset);
  layers.l4_offset = moved(layers.l4_offset);
}

// Label stack entry (RFC 3032, 2.1) for a packet that gets one more.
std::uint32_t new_label_entry(const std::uint8_t* data, const Layers& layers) noexcept {
  if (layers.mpls_count > 0) return load32(data + layers.l2_end) & ~kBottom;
  if (!layers.is_ip()) return kBottom;
  const std::uint8_t ttl = data[layers.l3_offset + (layers.eth_type == kEthIpv4 ? 8 : 7)];
  return kBottom | ttl;
}

/// Fills a frame that popping a tag has made shorter than Ethernet allows up with zeros (not every
/// driver does so), unless its lengths are unsound: padding must not make it look whole.
void fill_up(rte_mbuf& packet, const Layers& layers) noexcept {
  const bool was_whole = packet.pkt_len + 4 >= kFrameSizeMin;
  const bool is_sound = layers.l3_offset != Layers::kNone && !layers.has(Layers::kBadL3);
  if (packet.pkt_len >= kFrameSizeMin || !was_whole || !is_sound) return;
  const auto missing = static_cast<std::uint16_t>(kFrameSizeMin - packet.pkt_len);
  if (char* end = rte_pktmbuf_append(&packet, missing); end != nullptr) {
    std::memset(end, 0, missing);
  } else if (packet.data_len == packet.pkt_len) {
    // Popping has left at least as much headroom as is missing.
    char* data = rte_pktmbuf_prepend(&packet, missing);
    std::memmove(data, data + missing, kFrameSizeMin - missing);
    std::memset(data + kFrameSizeMin - missing, 0, missing);
  }
}

}  // namespace

bool insert_tag(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype,
                std::uint16_t tci) noexcept {
  std::uint8_t* data = open_gap(packet, kAddresses);
  if (data == nullptr) return false;
  store16(data + kAddresses, ethertype);
  store16(data + kAddresses + 2, tci);
  if (layers.vlan_count == 2) {
    layers = parse_again(packet);  // The innermost of three tags has become payload.
  } else {
    ++layers.vlan_count;
    move_by(layers, 4);
  }
  return true;
}

bool push_vlan(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept {
  if (layers.has(Layers::kRunt) || !is_vlan(ethertype)) return false;
  const std::uint8_t* data = rte_pktmbuf_mtod(&packet, const std::uint8_t*);
  const unsigned tci = layers.vlan_count > 0 ? load16(data + 14) & ~unsigned{kVlanPresent} : 0;
  return insert_tag(packet, layers, ethertype, static_cast<std::uint16_t>(tci));
}

bool pop_vlan(rte_mbuf& packet, Layers& layers) noexcept {
  if (layers.vlan_count == 0) return false;
  close_gap(packet, kAddresses);
  if (is_vlan(layers.eth_type)) {
    layers = parse_again(packet);  // A third tag comes into sight.
  } else {
    --layers.vlan_count;
    move_by(layers, -4);
  }
  fill_up(packet, layers);
  return true;
}

bool push_mpls(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept {
  const bool has_type = (layers.flags & (Layers::kRunt | Layers::kIsLength)) == 0;
  if (!has_type || is_vlan(layers.eth_type) || !is_mpls(ethertype)) return false;
  const std::uint32_t entry =
      new_label_entry(rte_pktmbuf_mtod(&packet, const std::uint8_t*), layers);
  std::uint8_t* data = open_gap(packet, layers.l2_end);
  if (data == nullptr) return false;
  store16(data + layers.l2_end - 2, ethertype);
  store32(data + layers.l2_end, entry);
  const unsigned count = layers.mpls_count + 1u;
  layers = Layers{.l2_end = layers.l2_end,
                  .eth_type = ethertype,
                  .vlan_count = layers.vlan_count,
                  .mpls_count = static_cast<std::uint8_t>(count > 255 ? 255 : count)};
  return true;
}

bool pop_mpls(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept {
  if (layers.mpls_count == 0 || layers.has(Layers::kIsLength) || ethertype < kEthTypeMin)
    return false;
  std::uint8_t* data = close_gap(packet, layers.l2_end);
  store16(data + layers.l2_end - 2, ethertype);
  layers = parse_again(packet);
  fill_up(packet, layers);
  return true;
}

}  // namespace hoist::software
