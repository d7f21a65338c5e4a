// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/execution.hpp"

namespace hoist::reference {
namespace {

constexpr std::uint8_t kReasonNoMatch = 0;
constexpr std::uint8_t kReasonAction = 1;
constexpr std::uint8_t kReasonInvalidTtl = 2;

/// OpenFlow 1.3, 5.4: the rule that says what becomes of packets that no other rule matches.
bool is_table_miss(const RuleSpec* rule) {
  return rule != nullptr && rule->priority == 0 && rule->match.map() == 0;
}

/// IEEE 802.1Q, table 8-1: never forwarded by bridges.
bool is_link_local(const MacAddress& mac) {
  return mac[0] == 0x01 && mac[1] == 0x80 && mac[2] == 0xc2 && mac[3] == 0 && mac[4] == 0 &&
         (mac[5] & 0xf0) == 0;
}

}  // namespace

void Execution::lose(DropReason reason) { ++fate_.drops[static_cast<std::size_t>(reason)]; }

void Execution::stop(DropReason reason) {
  is_stopped_ = true;
  reason_ = reason;
}

void Execution::output(PortNo port, std::uint16_t max_len) {
  switch (port) {
    case PortNo::kInPort:
      return send(in_port());
    case PortNo::kTable:
      return visit(0, in_port(), Miss::kDrops);
    case PortNo::kNormal:
      return forward_normally();
    case PortNo::kFlood:
      return flood(true);
    case PortNo::kAll:
      return flood(false);
    case PortNo::kController:
      return give_controller(
          {.reason = is_table_miss(rule_) ? kReasonNoMatch : kReasonAction, .max_len = max_len});
    default:
      if (port == in_port()) return lose(DropReason::kIngressPort);
      return send(port);
  }
}

void Execution::send(PortNo number) {
  const Interpreter::Port* port = bridge_.find_port(number);
  if (port == nullptr || (port->flags & PortFlags::kDown) != 0) return lose(DropReason::kPortGone);
  if ((port->flags & PortFlags::kNoFwd) != 0) return lose(DropReason::kPortConfig);
  if (frame_.size() > port->frame_max) return lose(DropReason::kTooLong);
  fate_.sent.push_back({number, frame_});
}

void Execution::flood(bool heeds_no_flood) {
  for (const Interpreter::Port& port : bridge_.ports_) {
    const std::uint32_t stays_out =
        PortFlags::kDown | PortFlags::kNoFwd | (heeds_no_flood ? PortFlags::kNoFlood : 0u);
    if (port.number == in_port() || (port.flags & stays_out) != 0) continue;
    send(port.number);
  }
}

void Execution::forward_normally() {
  const auto vlan = static_cast<std::uint16_t>(key_.vlan_tci.host() & kVlanVidMask);
  const bool is_group_source = (key_.eth_src[0] & 1) != 0;
  if (!is_group_source && bridge_.find_port(in_port()) != nullptr) {
    learned_.push_back({{key_.eth_src, vlan}, in_port()});
  }
  if (is_link_local(key_.eth_dst)) return;
  const bool is_group = (key_.eth_dst[0] & 1) != 0;
  if (is_group) return flood(true);
  if (key_.eth_dst == key_.eth_src) return;  // It has just shown itself at this port.
  const auto known = bridge_.macs_.find({key_.eth_dst, vlan});
  if (known == bridge_.macs_.end()) return flood(true);
  if (known->second != in_port()) send(known->second);
}

void Execution::give_controller(PacketIn packet_in) {
  const Interpreter::Port* port = bridge_.find_port(in_port());
  if (port != nullptr && (port->flags & PortFlags::kNoPacketIn) != 0) return;
  const auto meter = bridge_.meters_.find(MeterId::kController);
  const bool is_metered = meter != bridge_.meters_.end();
  if (is_metered && meter->second.police(frame_.size(), 14, bridge_.now_ns_).is_dropped) {
    return lose(DropReason::kMeter);
  }
  packet_in.table_id = table_id_;
  packet_in.rule = rule_ == nullptr ? RuleId::kNone : rule_->id;
  packet_in.key = key_;
  packet_in.frame = frame_;
  fate_.packet_ins.push_back(std::move(packet_in));
}

void Execution::police(MeterId id) {
  const auto meter = bridge_.meters_.find(id);
  if (meter == bridge_.meters_.end()) return;
  const Layers layers = find_layers(frame_);
  const Meter::Verdict verdict =
      meter->second.police(frame_.size(), layers.payload_at, bridge_.now_ns_);
  if (verdict.is_dropped) {
    lose(DropReason::kMeter);
    return stop(DropReason::kMeter);
  }
  const bool is_ip = layers.network == Network::kIpv4 || layers.network == Network::kIpv6;
  if (!is_ip || verdict.levels == 0) return;
  const auto dscp = static_cast<std::uint8_t>(low64(get_field(key_, field(FieldId::kIpDscp))));
  write_field(FieldId::kIpDscp, field_value(with_higher_drop_precedence(dscp, verdict.levels)),
              full_mask(field(FieldId::kIpDscp)));
}

void Execution::expire_ttl(const std::vector<std::uint16_t>& controller_ids) {
  for (const std::uint16_t id : controller_ids) {
    give_controller({.reason = kReasonInvalidTtl, .controller_id = id});
  }
  stop(DropReason::kTtlExpired);
  lose(DropReason::kTtlExpired);
}

}  // namespace hoist::reference
