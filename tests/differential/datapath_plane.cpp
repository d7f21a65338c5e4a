// SPDX-License-Identifier: BSD-3-Clause
#include "datapath_plane.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/pipeline/random_meters.hpp"

namespace hoist::test {
namespace {

/// Ends the test program: without its planes there is nothing to test.
void must(const Result<void>& result, const char* what) {
  if (result) return;
  std::fprintf(stderr, "%s: %s\n", what, result.error().message.c_str());
  std::exit(EXIT_FAILURE);
}
template <class T>
T must(Result<T> result, const char* what) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s: %s\n", what, result.error().message.c_str());
  std::exit(EXIT_FAILURE);
}

using Drops = std::array<std::uint64_t, kDropReasonCount>;

void add_drops(BurstResult& result, const Drops& before, const Drops& after) {
  for (std::size_t i = 0; i < after.size(); ++i) result.drops[i] = after[i] - before[i];
}

constexpr int kTurns = 3;  ///< Loop turns after which nothing is under way any more.

}  // namespace

DatapathPlane::DatapathPlane(const std::string& name, const Options& options)
    : keeps_order_(options.keeps_order), pool_(name) {
  Datapath::Config config;
  config.flow_cache_entries = options.flow_cache_entries;
  config.mbuf_count = 4096;
  config.max_rules = 1u << 16;
  config.clock_ns = &now_ns_;
  datapath_ = must(Datapath::create(config), "Datapath::create");
  bridge_ = must(datapath_->add_bridge("br-" + name), "add_bridge");
  for (std::uint32_t n = 1; n <= options.port_count; ++n) {
    const std::string port = name + "_p" + std::to_string(n);
    ports_.push_back(std::make_unique<RingPort>(port, pool_.pool()));
    const PortConfig port_config{
        .name = port, .number = PortNo{n}, .devargs = ports_.back()->devargs()};
    must(datapath_->add_port(bridge_, port_config), "add_port");
  }
  datapath_->start();
}

DatapathPlane::~DatapathPlane() { datapath_.reset(); }

void DatapathPlane::start(const Scenario& scenario) {
  drop_all_rules();
  datapath_->flush_mac_table(bridge_);
  pass({100'000'000'000});  // What was tracked is forgotten.
  for (const PortNo port : std::exchange(flagged_, {})) change_port({port, 0});
  flagged_.clear();
  // Between packets of different ports, or of different ways through the switch, a meter sees
  // another order than the reference.
  const bool is_single = scenario.learns || scenario.tracks || may_remark(scenario.meters) ||
                         (!keeps_order_ && !scenario.meters.empty());
  pace_ = is_single ? Pace::kOneByOne : scenario.meters.empty() ? Pace::kBurst : Pace::kPortByPort;
  set_meters(scenario.meters);
  id_base_ = id_last_ > 40'000 ? 0 : id_last_;
  id_last_ = id_base_;
  rule_counts_.clear();
  for (unsigned id = 0; id < kTableCount; ++id) {
    const auto table_id = static_cast<std::uint8_t>(id);
    tables_at_start_[table_id] = datapath_->table_count(bridge_, table_id);
  }
}

void DatapathPlane::apply(const Changes& changes) {
  Changes real;
  for (const RuleChange& change : changes) {
    const RuleId id = change.rule->id;
    if (change.kind == RuleChange::Kind::kRemove) {
      const auto it = live_.find(id);
      if (it == live_.end()) continue;
      real.push_back({RuleChange::Kind::kRemove, it->second});
      live_.erase(it);
      continue;
    }
    RuleSpec spec = *change.rule;
    spec.id = RuleId{to_integer(id) + id_base_};
    id_last_ = std::max(id_last_, to_integer(spec.id));
    live_[id] = std::make_shared<const RuleSpec>(std::move(spec));
    real.push_back({RuleChange::Kind::kAdd, live_[id]});
  }
  const Datapath::Version version = datapath_->apply(bridge_, real);
  tell(real);
  settle(version);
}

void DatapathPlane::settle(Datapath::Version version) {
  BurstResult nothing;
  for (int n = 0; n < 1000 && !datapath_->is_settled(version); ++n) turn(nothing);
  EXPECT_TRUE(datapath_->is_settled(version));
}

void DatapathPlane::turn(BurstResult& result) {
  datapath_->run_once();
  turn_others();
  const auto take = [&](PacketIn&& packet_in) {
    packet_in.rule =
        RuleId{packet_in.rule == RuleId::kNone ? 0 : to_integer(packet_in.rule) - id_base_};
    result.packet_ins.push_back(std::move(packet_in));
  };
  while (datapath_->poll(take, [](BridgeId, const PortStatus&) {})) {
  }
}

void DatapathPlane::flush(BurstResult& result) {
  for (int n = 0; n < kTurns; ++n) turn(result);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const PortNo port{static_cast<std::uint32_t>(i + 1)};
    for (Bytes& frame : ports_[i]->drain()) result.sent[port].push_back(std::move(frame));
  }
}

BurstResult DatapathPlane::run(const Burst& burst) {
  BurstResult result;
  const auto drops_before = datapath_->drops();
  for (std::size_t i = 0; i < burst.size(); ++i) {
    EXPECT_TRUE(ports_[to_integer(burst[i].in_port) - 1]->inject(burst[i].frame));
    const bool turns = i + 1 < burst.size() && burst[i + 1].in_port != burst[i].in_port;
    if (pace_ == Pace::kOneByOne || (pace_ == Pace::kPortByPort && turns)) flush(result);
  }
  flush(result);
  add_drops(result, drops_before, datapath_->drops());
  return result;
}

void DatapathPlane::change_port(const PortChange& change) {
  flagged_.insert(change.port);
  EXPECT_TRUE(datapath_->set_port_flags(bridge_, change.port, change.flags).has_value());
  BurstResult nothing;
  for (int n = 0; n < kTurns; ++n) turn(nothing);
}

BurstResult DatapathPlane::send(const PacketOut& packet) {
  BurstResult result;
  const auto drops_before = datapath_->drops();
  const auto sent = datapath_->packet_out(bridge_, packet.in_port, packet.frame, packet.actions);
  EXPECT_TRUE(sent.has_value()) << sent.error().message;
  flush(result);
  add_drops(result, drops_before, datapath_->drops());
  return result;
}

void DatapathPlane::fold(const RuleHit& hit) {
  rule_counts_[RuleId{to_integer(hit.rule) - id_base_}] += hit.count;
}

void DatapathPlane::set_meters(const std::vector<MeterConfig>& meters) {
  std::vector<MeterChange> changes;
  for (const MeterId id : meters_) changes.push_back({id, nullptr});
  tell(changes);
  for (const MeterId id : std::exchange(meters_, {})) datapath_->remove_meter(bridge_, id);
  changes.clear();
  for (const MeterConfig& meter : meters) {
    must(datapath_->set_meter(bridge_, meter), "set_meter");
    meters_.push_back(meter.id);
    changes.push_back({meter.id, std::make_shared<const MeterConfig>(meter)});
  }
  tell(changes);
}

Counts DatapathPlane::counts() {
  datapath_->collect([this](const RuleHit& hit) { fold(hit); });
  collect([this](const RuleHit& hit) { fold(hit); });
  Counts counts{.rules = rule_counts_, .tables = {}, .meters = {}};
  for (const MeterId id : meters_) {
    EXPECT_TRUE(datapath_->meter_stats(bridge_, id, counts.meters[id]));
  }
  add_hardware(counts.meters);
  std::erase_if(counts.rules, [](const auto& rule) { return rule.second == TrafficCount{}; });
  for (const auto& [table_id, before] : tables_at_start_) {
    TableCount now = datapath_->table_count(bridge_, table_id);
    now.lookups -= before.lookups;
    now.matches -= before.matches;
    if (now.lookups != 0) counts.tables[table_id] = now;
  }
  return counts;
}

std::string DatapathPlane::refusal(const RuleSpec& rule) const {
  const auto result = datapath_->check(rule);
  return result ? "" : result.error().message;
}

void DatapathPlane::drop_all_rules() {
  Changes all;
  for (const auto& [id, rule] : live_) all.push_back({RuleChange::Kind::kRemove, rule});
  live_.clear();
  const Datapath::Version version = datapath_->apply(bridge_, all);
  tell(all);
  settle(version);
  datapath_->collect([](const RuleHit&) {});
  collect([](const RuleHit&) {});
}

}  // namespace hoist::test
