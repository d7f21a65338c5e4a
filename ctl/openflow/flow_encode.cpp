// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/action_codec.hpp"
#include "openflow/match_codec.hpp"
#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

/// The flags that say something of the rule itself rather than of how it was to be added.
constexpr std::uint16_t kStateFlags =
    FlowMod::kSendFlowRem | FlowMod::kNoPacketCounts | FlowMod::kNoByteCounts;

bool demands_vlan(const MiniMatch& match) {
  constexpr unsigned kWord = offsetof(FlowKey, vlan_tci) / 8;
  if ((match.map() >> kWord & 1) == 0) return false;
  return (match.expand().value.vlan_tci.host() & kVlanPresent) != 0;
}

void put_count(Bytes& out, const TrafficCount& count) {
  put64(out, count.packets);
  put64(out, count.bytes);
}

/// Appends NXM entries with padding, and writes their length where the caller left room for it.
void put_nxm_match(Bytes& out, std::size_t length_at, const MiniMatch& match) {
  const std::size_t start = out.size();
  put_entries(out, match, Flavor::kNxm);
  set16(out, length_at, out.size() - start);
  pad_to_8(out, start);
}

/// Everything between length and actions of OFPST_FLOW in OpenFlow 1.0 (5.3.5).
void put_of10_stats(Bytes& out, const FlowStats& s) {
  put8(out, s.table_id);
  put8(out, 0);
  put_of10_match(out, *s.match);
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.priority);
  put16(out, s.idle_timeout);
  put16(out, s.hard_timeout);
  put_zeros(out, 6);
  put64(out, s.cookie);
  put_count(out, s.count);
}

/// NXST_FLOW; ages are sent plus one, 0 being unknown.
void put_nicira_stats(Bytes& out, const FlowStats& s) {
  put8(out, s.table_id);
  put8(out, 0);
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.priority);
  put16(out, s.idle_timeout);
  put16(out, s.hard_timeout);
  const std::size_t match_length_at = out.size();
  put16(out, 0);
  put16(out, static_cast<std::uint16_t>(std::min<unsigned>(s.idle_age_s + 1u, 0xffff)));
  put16(out, static_cast<std::uint16_t>(std::min<unsigned>(s.hard_age_s + 1u, 0xffff)));
  put64(out, s.cookie);
  put_count(out, s.count);
  put_nxm_match(out, match_length_at, *s.match);
}

/// OpenFlow 1.3, 7.3.5.2.
void put_of13_stats(Bytes& out, Version version, const FlowStats& s) {
  put8(out, s.table_id);
  put8(out, 0);
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.priority);
  put16(out, s.idle_timeout);
  put16(out, s.hard_timeout);
  put16(out, s.flags & kStateFlags);
  put16(out, is_at_least(version, Version::kOf14) ? s.importance : std::uint16_t{0});
  put16(out, 0);
  put64(out, s.cookie);
  put_count(out, s.count);
  put_oxm_match(out, *s.match, flavor_of(version));
}

void put_of13_removed(Bytes& out, Version version, const FlowRemoved& removed) {
  const FlowStats& s = removed.stats;
  put64(out, s.cookie);
  put16(out, s.priority);
  put8(out, removed.reason);
  put8(out, s.table_id);
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.idle_timeout);
  put16(out, s.hard_timeout);
  put_count(out, s.count);
  put_oxm_match(out, *s.match, flavor_of(version));
}

void put_of10_removed(Bytes& out, const FlowRemoved& removed) {
  const FlowStats& s = removed.stats;
  put_of10_match(out, *s.match);
  put64(out, s.cookie);
  put16(out, s.priority);
  put8(out, removed.reason);
  put8(out, 0);
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.idle_timeout);
  put16(out, 0);
  put_count(out, s.count);
}

/// NXT_FLOW_REMOVED; the table is sent plus one, 0 being unknown.
void put_nicira_removed(Bytes& out, const FlowRemoved& removed) {
  const FlowStats& s = removed.stats;
  put64(out, s.cookie);
  put16(out, s.priority);
  put8(out, removed.reason);
  put8(out, static_cast<std::uint8_t>(s.table_id + 1));
  put32(out, s.duration_s);
  put32(out, s.duration_ns);
  put16(out, s.idle_timeout);
  const std::size_t match_length_at = out.size();
  put16(out, 0);
  put_count(out, s.count);
  put_nxm_match(out, match_length_at, *s.match);
}

/// | priority 2 | idle 2 | hard 2 | match_len 2 | table 1 | pad 1 | cookie 8 | match |, after
/// reason.
void put_nicira_update(Bytes& out, const FlowStats& s) {
  put16(out, s.priority);
  put16(out, s.idle_timeout);
  put16(out, s.hard_timeout);
  const std::size_t match_length_at = out.size();
  put16(out, 0);
  put8(out, s.table_id);
  put8(out, 0);
  put64(out, s.cookie);
  put_nxm_match(out, match_length_at, *s.match);
}

/// NXFME_*: added 0, deleted 1, modified 2, abbreviated 3. A first view is "added".
std::uint16_t nicira_event(FlowEvent event) noexcept {
  const auto n = to_integer(event);
  return n == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(n - 1);
}

std::uint16_t multipart_type(bool is_nicira, Multipart plain) noexcept {
  return to_integer(is_nicira ? Multipart::kExperimenter : plain);
}

}  // namespace

void encode(Bytes& out, Envelope to, const FlowRemoved& removed, bool is_nicira) {
  const bool is_10 = to.version == Version::kOf10;
  const std::size_t start = is_nicira && is_10
                                ? begin_nicira(out, to, to_integer(NiciraMessage::kFlowRemoved))
                                : begin_message(out, to, to_integer(Type::kFlowRemoved));
  if (!is_10) {
    put_of13_removed(out, to.version, removed);
  } else if (is_nicira) {
    put_nicira_removed(out, removed);
  } else {
    put_of10_removed(out, removed);
  }
  end_message(out, start);
}

FlowStatsReply::FlowStatsReply(Bytes& out, Envelope to, bool is_nicira)
    : parts_(out, to, multipart_type(is_nicira, Multipart::kFlow), to_integer(NiciraStats::kFlow)),
      version_(to.version),
      is_nicira_(is_nicira) {}

void FlowStatsReply::add(const FlowStats& stats) {
  entry_.clear();
  put16(entry_, 0);
  if (is_nicira_) {
    put_nicira_stats(entry_, stats);
  } else if (version_ == Version::kOf10) {
    put_of10_stats(entry_, stats);
  } else {
    put_of13_stats(entry_, version_, stats);
  }
  const std::size_t without = entry_.size();
  if (stats.instructions != nullptr) {
    put_instructions(entry_, *stats.instructions, version_, demands_vlan(*stats.match));
  }
  // Actions that filled a message of 64 KiB do not fit one with statistics around them.
  if (entry_.size() > MultipartReply::kMaxEntry) entry_.resize(without);
  set16(entry_, 0, entry_.size());
  parts_.add(entry_);
}

FlowMonitorReply::FlowMonitorReply(Bytes& out, Envelope to, bool is_nicira)
    : parts_(out, to, multipart_type(is_nicira, Multipart::kFlowMonitor),
             to_integer(NiciraStats::kFlowMonitor)),
      version_(to.version),
      is_nicira_(is_nicira) {}

void FlowMonitorReply::add(FlowEvent event, const FlowStats& stats, std::uint8_t reason) {
  entry_.clear();
  put16(entry_, 0);
  if (is_nicira_) {
    put16(entry_, nicira_event(event));
    put16(entry_, reason);
    put_nicira_update(entry_, stats);
  } else {
    put16(entry_, to_integer(event));
    put8(entry_, stats.table_id);
    put8(entry_, reason);
    put16(entry_, stats.idle_timeout);
    put16(entry_, stats.hard_timeout);
    put16(entry_, stats.priority);
    put32(entry_, 0);
    put64(entry_, stats.cookie);
    put_oxm_match(entry_, *stats.match, flavor_of(version_));
  }
  const std::size_t without = entry_.size();
  if (stats.instructions != nullptr) {
    put_instructions(entry_, *stats.instructions, version_, demands_vlan(*stats.match));
  }
  if (entry_.size() > MultipartReply::kMaxEntry) entry_.resize(without);
  set16(entry_, 0, entry_.size());
  parts_.add(entry_);
}

void FlowMonitorReply::add_abbreviated(std::uint32_t xid) {
  entry_.clear();
  put16(entry_, 8);
  put16(entry_,
        is_nicira_ ? nicira_event(FlowEvent::kAbbreviated) : to_integer(FlowEvent::kAbbreviated));
  put32(entry_, xid);
  parts_.add(entry_);
}

}  // namespace hoist::openflow
