// SPDX-License-Identifier: BSD-3-Clause
#include "text/field_text.hpp"

namespace hoist::text {
namespace {

constexpr std::uint16_t kDefaultPriority = 0x8000;

/// "priority=10,ip actions=drop"
void append_body(std::string& out, std::uint16_t priority, const MiniMatch& match,
                 const Instructions* instructions, const PortNamer& name_of) {
  if (priority != kDefaultPriority) out += "priority=" + std::to_string(priority);
  const std::string text = format_match(match, name_of);
  if (!text.empty() && priority != kDefaultPriority) out += ',';
  out += text;
  if (instructions == nullptr) return;
  if (!out.empty() && out.back() != ' ') out += ' ';
  out += "actions=" + format_instructions(*instructions, name_of);
}

/// Seconds, with as many digits of the fraction as it has.
void append_duration(std::string& out, std::uint32_t s, std::uint32_t ns) {
  out += std::to_string(s);
  if (ns != 0) {
    std::string fraction = std::to_string(ns);
    fraction.insert(0, 9 - std::min<std::size_t>(9, fraction.size()), '0');
    while (fraction.back() == '0') fraction.pop_back();
    out += '.' + fraction;
  }
  out += 's';
}

void append_flags(std::string& out, std::uint16_t flags) {
  using openflow::FlowMod;
  if ((flags & FlowMod::kSendFlowRem) != 0) out += "send_flow_rem ";
  if ((flags & FlowMod::kCheckOverlap) != 0) out += "check_overlap ";
  if ((flags & FlowMod::kResetCounts) != 0) out += "reset_counts ";
  if ((flags & FlowMod::kNoPacketCounts) != 0) out += "no_packet_counts ";
  if ((flags & FlowMod::kNoByteCounts) != 0) out += "no_byte_counts ";
}

}  // namespace

std::string format_rule(const RuleSpec& rule, const PortNamer& name_of) {
  std::string out;
  if (rule.table_id != 0) out += "table=" + std::to_string(rule.table_id) + ", ";
  if (rule.cookie != 0) {
    out += "cookie=";
    append_hex(out, rule.cookie);
    out += ", ";
  }
  append_body(out, rule.priority, rule.match, rule.instructions.get(), name_of);
  return out;
}

std::string format_flow_stats(const openflow::FlowStats& s, const PortNamer& name_of) {
  std::string out = "cookie=";
  append_hex(out, s.cookie);
  out += ", duration=";
  append_duration(out, s.duration_s, s.duration_ns);
  out += ", table=" + std::to_string(s.table_id) +
         ", n_packets=" + std::to_string(s.count.packets) +
         ", n_bytes=" + std::to_string(s.count.bytes) + ", ";
  if (s.idle_timeout != 0) out += "idle_timeout=" + std::to_string(s.idle_timeout) + ", ";
  if (s.hard_timeout != 0) out += "hard_timeout=" + std::to_string(s.hard_timeout) + ", ";
  append_flags(out, s.flags);
  if (s.importance != 0) out += "importance=" + std::to_string(s.importance) + ", ";
  out += "idle_age=" + std::to_string(s.idle_age_s) + ", ";
  if (s.hard_age_s != s.duration_s) out += "hard_age=" + std::to_string(s.hard_age_s) + ", ";
  append_body(out, s.priority, *s.match, s.instructions, name_of);
  return out;
}

}  // namespace hoist::text
