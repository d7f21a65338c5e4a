// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/flow_manager.hpp"

namespace hoist {

/// A datapath that only remembers what it was told. Changes settle when settle() is called.
class FakeDatapath : public Datapath {
 public:
  void start() override {}
  void stop() override {}
  Result<BridgeId> add_bridge(const std::string& /*name*/) override { return BridgeId{0}; }
  Result<PortStatus> add_port(BridgeId /*bridge*/, const PortConfig& config) override {
    ports_.push_back({.name = config.name, .number = config.number, .is_link_up = true});
    return ports_.back();
  }
  Result<void> remove_port(BridgeId /*bridge*/, PortNo number) override {
    std::erase_if(ports_, [=](const PortStatus& port) { return port.number == number; });
    return {};
  }
  Result<void> set_port_flags(BridgeId /*bridge*/, PortNo number, std::uint32_t flags) override {
    for (PortStatus& port : ports_) {
      if (port.number == number) port.flags = flags;
    }
    return {};
  }
  [[nodiscard]] std::vector<PortStatus> ports(BridgeId /*bridge*/) const override { return ports_; }
  [[nodiscard]] std::optional<PortCounters> port_counters(BridgeId, PortNo) const override {
    return PortCounters{};
  }
  [[nodiscard]] Result<void> check(const RuleSpec& /*rule*/) const override { return verdict; }
  Version apply(BridgeId /*bridge*/, std::span<const RuleChange> changes) override {
    steps.emplace_back(changes.begin(), changes.end());
    for (const RuleChange& change : changes) {
      if (change.kind == RuleChange::Kind::kAdd) {
        rules[change.rule->id] = change.rule;
      } else {
        rules.erase(change.rule->id);
      }
    }
    return ++version;
  }
  Result<void> set_meter(BridgeId /*bridge*/, const MeterConfig& config) override {
    meters[config.id] = config;
    return {};
  }
  void remove_meter(BridgeId /*bridge*/, MeterId id) override { meters.erase(id); }
  [[nodiscard]] bool meter_stats(BridgeId, MeterId id, MeterStats& stats) const override {
    const auto meter = meters.find(id);
    if (meter == meters.end()) return false;
    stats = {.in = {7, 700}, .bands = {meter->second.bands.size(), TrafficCount{2, 200}}};
    return true;
  }
  [[nodiscard]] bool is_settled(Version v) const override { return v <= settled; }
  void settle() { settled = version; }
  void collect(const std::function<void(const RuleHit&)>& visit) override {
    for (const RuleHit& hit : std::exchange(hits, {})) visit(hit);
  }
  [[nodiscard]] TableCount table_count(BridgeId, std::uint8_t) const override { return {}; }
  [[nodiscard]] std::array<std::uint64_t, kDropReasonCount> drops() const override { return {}; }
  Result<void> packet_out(BridgeId /*bridge*/, PortNo /*in_port*/,
                          std::span<const std::uint8_t> frame,
                          const ActionList& /*actions*/) override {
    sent.emplace_back(frame.begin(), frame.end());
    return {};
  }
  bool poll(const std::function<void(PacketIn&&)>& on_packet_in,
            const std::function<void(BridgeId, const PortStatus&)>& /*on_port_change*/) override {
    for (PacketIn& packet : std::exchange(packet_ins, {})) on_packet_in(std::move(packet));
    return false;
  }
  [[nodiscard]] std::vector<MacEntry> mac_table(BridgeId) const override { return {}; }
  void flush_mac_table(BridgeId) override {}
  [[nodiscard]] ResumeTable& resume_table() override { return *resume_; }
  [[nodiscard]] std::uint64_t now_ms() const override { return now; }
  void run_once() override {}

  Result<void> verdict;
  std::uint64_t now = 100'000;
  Version version = 0;
  Version settled = 0;
  std::vector<std::vector<RuleChange>> steps;
  std::map<RuleId, std::shared_ptr<const RuleSpec>> rules;
  std::map<MeterId, MeterConfig> meters;
  std::vector<RuleHit> hits;
  std::vector<PacketIn> packet_ins;
  std::vector<std::vector<std::uint8_t>> sent;

 private:
  std::vector<PortStatus> ports_;
  std::unique_ptr<ResumeTable> resume_ = std::make_unique<ResumeTable>();
};

/// A flow manager without hardware. Requests settle when settle() is called.
class FakeFlowManager : public FlowManager {
 public:
  Sequence attach_port(BridgeId, const PortStatus&) override { return ++sequence; }
  Sequence detach_port(BridgeId, PortNo) override { return ++sequence; }
  Sequence submit(BridgeId, std::span<const RuleChange> changes) override {
    change_count += changes.size();
    return ++sequence;
  }
  Sequence submit_meters(BridgeId, std::span<const MeterChange> changes) override {
    meter_change_count += changes.size();
    return ++sequence;
  }
  Sequence refresh_counters() override { return ++sequence; }
  Sequence set_enabled(bool is_enabled) override {
    is_on = is_enabled;
    return ++sequence;
  }
  Sequence set_port_enabled(BridgeId, PortNo, bool) override { return ++sequence; }
  [[nodiscard]] bool is_enabled() const override { return is_on; }
  [[nodiscard]] bool is_settled(Sequence s) const override { return s <= settled; }
  void settle() { settled = sequence; }
  void collect(const std::function<void(const RuleHit&)>& visit) override {
    for (const RuleHit& hit : std::exchange(hits, {})) visit(hit);
  }
  [[nodiscard]] bool wants_hits() const override { return false; }
  void observe(std::vector<RuleHit>) override {}
  void collect_meters(const std::function<void(const MeterHit&)>& visit) override {
    for (const MeterHit& hit : std::exchange(meter_hits, {})) visit(hit);
  }
  void describe(std::vector<RuleId> rules,
                std::function<void(std::vector<Placement>)> done) override {
    std::vector<Placement> out;
    for (const RuleId rule : rules) out.push_back({.rule = rule, .refusal = Refusal::kNoPort});
    waiting.push_back([out = std::move(out), done = std::move(done)] { done(out); });
  }
  void explain(std::vector<RuleId>, std::function<void(std::vector<Explanation>)>) override {}
  void describe_nics(std::function<void(std::vector<NicReport>)>) override {}
  void verify(bool, std::function<void(std::vector<DriftReport>)>) override {}
  [[nodiscard]] OffloadStats stats() const override { return {}; }
  void poll() override {
    for (const auto& answer : std::exchange(waiting, {})) answer();
  }
  void run_once() override {}

  bool is_on = true;
  Sequence sequence = 0;
  Sequence settled = 0;
  std::size_t change_count = 0;
  std::size_t meter_change_count = 0;
  std::vector<MeterHit> meter_hits;
  std::vector<RuleHit> hits;
  std::vector<std::function<void()>> waiting;
};

}  // namespace hoist
