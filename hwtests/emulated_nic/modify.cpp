// SPDX-License-Identifier: BSD-3-Clause
#include "modify.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "edit.hpp"

namespace emulated_nic {
namespace {

__extension__ using Wide = unsigned __int128;

enum class Base : std::uint8_t { kFrame, kAfterVlans, kL3, kL4, kRegister };

struct Place {
  rte_flow_field_id id;
  std::string_view name;
  Base base;
  std::uint8_t offset;  ///< Bytes from the base; the slot of a register.
  std::uint8_t size;    ///< Bytes that hold the field.
  std::uint8_t shift;   ///< Bits below it in them.
  std::uint8_t bits;
  std::uint32_t needs;  ///< Presence bits, any; 0: every packet has it.
  Covered covered;
};

constexpr Place kPlaces[] = {
    {RTE_FLOW_FIELD_MAC_DST, "mac_dst", Base::kFrame, 0, 6, 0, 48, 0, Covered::kNothing},
    {RTE_FLOW_FIELD_MAC_SRC, "mac_src", Base::kFrame, 6, 6, 0, 48, 0, Covered::kNothing},
    {RTE_FLOW_FIELD_VLAN_TYPE, "vlan_type", Base::kFrame, 12, 2, 0, 16, kTagged, Covered::kNothing},
    {RTE_FLOW_FIELD_VLAN_ID, "vlan_id", Base::kFrame, 14, 2, 0, 12, kTagged, Covered::kNothing},
    {RTE_FLOW_FIELD_MAC_TYPE, "mac_type", Base::kAfterVlans, 12, 2, 0, 16, 0, Covered::kNothing},
    {RTE_FLOW_FIELD_IPV4_DSCP, "ipv4_dscp", Base::kL3, 1, 1, 2, 6, kIpv4, Covered::kIpHeader},
    {RTE_FLOW_FIELD_IPV4_ECN, "ipv4_ecn", Base::kL3, 1, 1, 0, 2, kIpv4, Covered::kIpHeader},
    {RTE_FLOW_FIELD_IPV4_TTL, "ipv4_ttl", Base::kL3, 8, 1, 0, 8, kIpv4, Covered::kIpHeader},
    {RTE_FLOW_FIELD_IPV4_SRC, "ipv4_src", Base::kL3, 12, 4, 0, 32, kIpv4, Covered::kPseudoHeader},
    {RTE_FLOW_FIELD_IPV4_DST, "ipv4_dst", Base::kL3, 16, 4, 0, 32, kIpv4, Covered::kPseudoHeader},
    {RTE_FLOW_FIELD_IPV6_DSCP, "ipv6_dscp", Base::kL3, 0, 2, 6, 6, kIpv6, Covered::kNothing},
    {RTE_FLOW_FIELD_IPV6_ECN, "ipv6_ecn", Base::kL3, 0, 2, 4, 2, kIpv6, Covered::kNothing},
    {RTE_FLOW_FIELD_IPV6_HOPLIMIT, "ipv6_hoplimit", Base::kL3, 7, 1, 0, 8, kIpv6,
     Covered::kNothing},
    {RTE_FLOW_FIELD_IPV6_SRC, "ipv6_src", Base::kL3, 8, 16, 0, 128, kIpv6, Covered::kPseudoHeader},
    {RTE_FLOW_FIELD_IPV6_DST, "ipv6_dst", Base::kL3, 24, 16, 0, 128, kIpv6, Covered::kPseudoHeader},
    {RTE_FLOW_FIELD_TCP_PORT_SRC, "tcp_port_src", Base::kL4, 0, 2, 0, 16, kTcp, Covered::kL4},
    {RTE_FLOW_FIELD_TCP_PORT_DST, "tcp_port_dst", Base::kL4, 2, 2, 0, 16, kTcp, Covered::kL4},
    {RTE_FLOW_FIELD_TCP_SEQ_NUM, "tcp_seq_num", Base::kL4, 4, 4, 0, 32, kTcp, Covered::kL4},
    {RTE_FLOW_FIELD_TCP_ACK_NUM, "tcp_ack_num", Base::kL4, 8, 4, 0, 32, kTcp, Covered::kL4},
    {RTE_FLOW_FIELD_TCP_FLAGS, "tcp_flags", Base::kL4, 12, 2, 0, 9, kTcp, Covered::kL4},
    {RTE_FLOW_FIELD_UDP_PORT_SRC, "udp_port_src", Base::kL4, 0, 2, 0, 16, kUdp, Covered::kL4},
    {RTE_FLOW_FIELD_UDP_PORT_DST, "udp_port_dst", Base::kL4, 2, 2, 0, 16, kUdp, Covered::kL4},
    {RTE_FLOW_FIELD_TAG, "tag", Base::kRegister, slot::kTag, 4, 0, 32, 0, Covered::kNothing},
    {RTE_FLOW_FIELD_MARK, "mark", Base::kRegister, slot::kMark, 4, 0, 32, 0, Covered::kNothing},
    {RTE_FLOW_FIELD_META, "meta", Base::kRegister, slot::kMeta, 4, 0, 32, 0, Covered::kNothing},
};

const Place* find(rte_flow_field_id field) {
  const auto found = std::ranges::find(kPlaces, field, &Place::id);
  return found == std::end(kPlaces) ? nullptr : &*found;
}

Wide ones(unsigned bits) { return bits >= 128 ? ~Wide{0} : (Wide{1} << bits) - 1; }

Wide from_bytes(const std::uint8_t* bytes, std::size_t size) {
  Wide value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes[i];
  return value;
}

/// Whether the packet has the field whole.
bool has(const Place& place, const Flight& flight) {
  if (place.needs != 0 && (flight.layers.presence & place.needs) == 0) return false;
  if (place.base == Base::kL3) return flight.layers.l3 != 0;
  if (place.base == Base::kL4) return flight.layers.l4 != 0;
  return rte_pktmbuf_data_len(flight.mbuf) >= 14 + 4 * flight.layers.vlan_count;
}

std::size_t offset_of(const Place& place, const Flight& flight) {
  switch (place.base) {
    case Base::kAfterVlans:
      return place.offset + 4u * flight.layers.vlan_count;
    case Base::kL3:
      return std::size_t{flight.layers.l3} + place.offset;
    case Base::kL4:
      return std::size_t{flight.layers.l4} + place.offset;
    default:
      return place.offset;
  }
}

Wide load(const Place& place, std::uint32_t index, const Flight& flight) {
  if (place.base == Base::kRegister) {
    return flight.fields.get<std::uint32_t>(place.offset + index * 4u);
  }
  const std::uint8_t* at = flight.data() + offset_of(place, flight);
  return from_bytes(at, place.size) >> place.shift & ones(place.bits);
}

void store(const Place& place, std::uint32_t index, Wide value, Flight& flight) {
  if (place.base == Base::kRegister) {
    flight.fields.set(place.offset + index * 4u, static_cast<std::uint32_t>(value));
    if (place.id == RTE_FLOW_FIELD_MARK) flight.is_marked = true;
    if (place.id == RTE_FLOW_FIELD_META) flight.has_meta = true;
    return;
  }
  const std::size_t offset = offset_of(place, flight);
  const Wide mask = ones(place.bits) << place.shift;
  Wide whole = from_bytes(flight.data() + offset, place.size);
  whole = (whole & ~mask) | (value << place.shift & mask);
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = place.size; i-- > 0; whole >>= 8) {
    bytes[i] = static_cast<std::uint8_t>(whole);
  }
  write_bytes(flight, offset, {bytes.data(), place.size}, place.covered);
  flight.is_stale = true;
}

/// An immediate value is laid out as the destination is in its item: registers in host order.
Wide immediate(const Place& to, const Modify& modify) {
  if (to.base == Base::kRegister) {
    std::uint32_t value;
    std::memcpy(&value, modify.value.data(), sizeof value);
    return value;
  }
  return from_bytes(modify.value.data(), to.size);
}

/// `level` is the index of a TAG, and no matter otherwise.
std::uint32_t index_of(const rte_flow_action_modify_data& data) {
  return data.field == RTE_FLOW_FIELD_TAG ? data.level : 0;
}

}  // namespace

ModifyFieldSet all_modify_fields() {
  ModifyFieldSet all;
  for (const Place& place : kPlaces) all.set(static_cast<std::size_t>(place.id));
  return all;
}

std::optional<rte_flow_field_id> find_modify_field(std::string_view name) {
  const auto found = std::ranges::find(kPlaces, name, &Place::name);
  if (found == std::end(kPlaces)) return std::nullopt;
  return found->id;
}

unsigned modify_field_width(rte_flow_field_id field) {
  const Place* place = find(field);
  return place == nullptr ? 0 : place->bits;
}

bool modify_packet(const Modify& modify, Flight& flight) {
  flight.refresh();
  if (!make_writable(flight)) return false;
  const rte_flow_action_modify_field& conf = modify.conf;
  const Place& to = *find(conf.dst.field);
  const Place* from = find(conf.src.field);
  if (!has(to, flight) || (from != nullptr && !has(*from, flight))) return true;
  const Wide mask = ones(conf.width);
  const Wide source = from == nullptr ? immediate(to, modify) >> conf.dst.offset
                                      : load(*from, index_of(conf.src), flight) >> conf.src.offset;
  const std::uint32_t to_index = index_of(conf.dst);
  const Wide old = load(to, to_index, flight);
  Wide part = old >> conf.dst.offset;
  switch (conf.operation) {
    case RTE_FLOW_MODIFY_ADD:
      part += source;
      break;
    case RTE_FLOW_MODIFY_SUB:
      part -= source;
      break;
    default:
      part = source;
      break;
  }
  const Wide placed = mask << conf.dst.offset;
  store(to, to_index, (old & ~placed) | ((part & mask) << conf.dst.offset), flight);
  return true;
}

}  // namespace emulated_nic
