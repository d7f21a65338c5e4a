// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <utility>

#include "datapath/software_datapath.hpp"
#include "worker/records.hpp"

namespace hoist::software {
namespace {

constexpr unsigned kPacketInsPerPoll = 64;
constexpr std::uint64_t kLinkPeriod_ms = 200, kAgePeriod_ms = 1000, kShrinkPeriod_ms = 500;

PacketIn packet_in_of(std::span<const std::uint8_t> bytes) {
  PacketInRecord record;
  std::memcpy(&record, bytes.data(), sizeof record);
  const std::uint8_t* userdata = bytes.data() + sizeof record;
  const std::uint8_t* frame = userdata + record.userdata_size;
  return {.bridge = BridgeId{record.bridge},
          .reason = record.reason,
          .table_id = record.table_id,
          .rule = RuleId{record.rule},
          .controller_id = record.controller_id,
          .max_len = record.max_len,
          .userdata = {userdata, frame},
          .key = record.key,
          .frame = {frame, frame + record.frame_size}};
}

}  // namespace

Result<void> SoftwareDatapath::packet_out(BridgeId id, PortNo in_port,
                                          std::span<const std::uint8_t> frame,
                                          const ActionList& actions) {
  if (frame.size() > pool_.max_frame()) {
    return failure(Errc::kInvalidArgument, "frame too long");
  }
  const Instructions instructions{.apply_actions = actions};
  if (auto checked = check_instructions(instructions); !checked) return checked;
  const ProgramPtr program = compile(instructions, false, bridge(id).meters);
  const PacketOutRecord record{.program_size = static_cast<std::uint32_t>(program->size()),
                               .frame_size = static_cast<std::uint32_t>(frame.size()),
                               .in_port = in_port,
                               .bridge = to_integer(id)};
  MessageRing& ring = workers_[next_worker_++ % workers_.size()]->from_control;
  const auto room = ring.reserve(sizeof record + record.program_size + record.frame_size);
  if (room.empty()) return failure(Errc::kBusy, "too many packets wait to be sent");
  std::memcpy(room.data(), &record, sizeof record);
  std::memcpy(room.data() + sizeof record, program.get(), record.program_size);
  std::memcpy(room.data() + sizeof record + record.program_size, frame.data(), frame.size());
  ring.commit();
  return {};
}

bool SoftwareDatapath::poll(
    const std::function<void(PacketIn&&)>& on_packet_in,
    const std::function<void(BridgeId, const PortStatus&)>& on_port_change) {
  unsigned taken = 0;
  bool waits = false;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    taken += take_records(*worker, kPacketInsPerPoll - taken, on_packet_in);
    waits |= !worker->to_control.is_empty();
  }
  const std::uint64_t now = now_ms();
  settle();
  end_rest();
  watch_load(now);
  age_macs(now);
  notice_link_changes(now, on_port_change);
  shrink_masks(now);
  tracker_->table().provide_ahead();
  reclaimer_.poll();
  return waits;
}

unsigned SoftwareDatapath::take_records(Worker& worker, unsigned limit,
                                        const std::function<void(PacketIn&&)>& on_packet_in) {
  unsigned taken = 0;
  while (true) {
    const auto bytes = worker.to_control.front();
    if (bytes.empty()) return taken;
    if (RecordKind{bytes[0]} == RecordKind::kLearn) {
      LearnRecord record;
      std::memcpy(&record, bytes.data(), sizeof record);
      worker.to_control.release();
      const auto now_s = static_cast<std::uint32_t>(now_ms() / 1000);
      bridges_[record.bridge]->published.macs.learn(record.mac, record.vlan, record.port, now_s);
      continue;
    }
    if (taken == limit) return taken;
    PacketIn packet_in = packet_in_of(bytes);
    worker.to_control.release();
    ++taken;
    on_packet_in(std::move(packet_in));
  }
}

void SoftwareDatapath::age_macs(std::uint64_t now) {
  if (now < next_age_ms_) return;
  next_age_ms_ = now + kAgePeriod_ms;
  for (const std::unique_ptr<Bridge>& b : bridges_) {
    b->published.macs.expire(static_cast<std::uint32_t>(now / 1000));
  }
}

void SoftwareDatapath::notice_link_changes(
    std::uint64_t now, const std::function<void(BridgeId, const PortStatus&)>& on_port_change) {
  if (now < next_link_ms_) return;
  next_link_ms_ = now + kLinkPeriod_ms;
  for (Port& port : ports_) {
    if (!port.device) continue;
    PortStatus status = status_of(port);
    const PortStatus& last = port.last_status;
    const bool has_changed = status.is_link_up != last.is_link_up ||
                             status.speed_mbps != last.speed_mbps || status.mtu != last.mtu ||
                             status.flags != last.flags;
    if (!has_changed) continue;
    if (status.mtu != last.mtu) publish_view();
    port.last_status = std::move(status);
    on_port_change(BridgeId{port.bridge}, port.last_status);
  }
}

/// Masks grow at once and shrink here, when no worker can be at a version that needs them wider.
void SoftwareDatapath::shrink_masks(std::uint64_t now) {
  if (now < next_shrink_ms_ || !is_settled(next_version() - 1)) return;
  next_shrink_ms_ = now + kShrinkPeriod_ms;
  bool has_changed = false;
  for (std::size_t i = 0; i < bridges_.size(); ++i) {
    Bridge& b = *bridges_[i];
    if (!b.is_stale) continue;
    for (std::size_t t = 0; t < kTableCount; ++t) {
      if (b.tables[t]) b.tables[t]->effects.shrink();
    }
    learn_effects(b);
    has_changed |= refresh_masks(static_cast<std::uint8_t>(i));
    b.is_stale = false;
  }
  if (has_changed) publish_view();
}

std::array<std::uint64_t, kDropReasonCount> SoftwareDatapath::drops() const {
  std::array<std::uint64_t, kDropReasonCount> sum{};
  for (const std::unique_ptr<Worker>& w : workers_) {
    for (std::size_t i = 0; i < kDropReasonCount; ++i) sum[i] += w->drops[i].get();
  }
  return sum;
}

std::vector<Datapath::MacEntry> SoftwareDatapath::mac_table(BridgeId id) const {
  std::vector<MacEntry> out;
  const MacTable& macs = bridges_[to_integer(id)]->published.macs;
  for (const MacTable::Entry& e : macs.entries(static_cast<std::uint32_t>(now_ms() / 1000))) {
    out.push_back({e.mac, e.vlan, e.port, e.age_s});
  }
  return out;
}

void SoftwareDatapath::flush_mac_table(BridgeId id) { bridge(id).published.macs.flush(); }

}  // namespace hoist::software
