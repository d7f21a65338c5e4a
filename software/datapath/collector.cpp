// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/collector.hpp"

#include <algorithm>
#include <utility>

namespace hoist::software {

void Collector::forget(RuleId rule) {
  const std::uint32_t i = to_integer(rule);
  if (forgotten_.size() <= i) forgotten_.resize(i + 1);
  forgotten_[i] = true;
  forgotten_list_.push_back(rule);
}

void Collector::collect(const std::function<void(const RuleHit&)>& visit) {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    fold_segments(w);
    fold_loose(w);
  }
  for (const RuleId rule : std::exchange(forgotten_list_, {})) forgotten_[to_integer(rule)] = false;
  for (const RuleHit& hit : hits_) hit_index_[to_integer(hit.rule)] = 0;
  for (const RuleHit& hit : std::exchange(hits_, {})) visit(hit);
}

void Collector::fold_segments(std::size_t worker) {
  SegmentStore& store = *workers_[worker]->segments;
  const std::uint32_t end = store.end();
  std::vector<Seen>& seen = seen_[worker];
  if (seen.size() < end) seen.resize(end);
  for (std::uint32_t i = 1; i < end; ++i) {
    if (store.state(i) != SegmentStore::State::kLive) continue;
    const Segment& segment = store.at(i);
    fold_segment(segment, seen[i]);
    if (forgotten_list_.empty() || !is_forgotten(segment)) continue;
    seen[i] = {};
    store.condemn(i);
  }
}

void Collector::fold_segment(const Segment& segment, Seen& seen) {
  const std::uint64_t packets = segment.packets.get();
  const std::uint64_t bytes = segment.bytes.get();
  if (packets == seen.packets && bytes == seen.bytes) return;
  const TrafficCount delta{packets - seen.packets, bytes - seen.bytes};
  seen = {packets, bytes};
  const std::uint64_t last_used_ms = segment.last_used_ms.get();
  for (const Step& step : segment.code->steps()) {
    TableCount& table = tables_[step.bridge][step.table_id];
    table.lookups += delta.packets;
    if (step.rule == RuleId::kNone) continue;
    table.matches += delta.packets;
    add(step.rule, delta, last_used_ms);
  }
}

bool Collector::is_forgotten(const Segment& segment) const {
  return std::ranges::any_of(segment.code->steps(), [&](const Step& step) {
    const std::uint32_t i = to_integer(step.rule);
    return i < forgotten_.size() && forgotten_[i];
  });
}

void Collector::fold_loose(std::size_t worker) {
  Worker& w = *workers_[worker];
  // Acquire: pairs with the release in run_loose(). What comes after it sets the flag again.
  if (!w.has_loose_counts.exchange(false, std::memory_order_acq_rel)) return;
  Loose& seen = loose_[worker];
  seen.rules.resize(std::size_t{w.shared->max_rules} + 1);
  seen.tables.resize(kMaxBridges);
  for (std::uint32_t r = 1; r < seen.rules.size(); ++r) {
    const LooseRuleCount& now = w.loose_rules[r];
    const Seen count{now.packets.get(), now.bytes.get()};
    Seen& before = seen.rules[r];
    if (count.packets == before.packets && count.bytes == before.bytes) continue;
    const TrafficCount delta{count.packets - before.packets, count.bytes - before.bytes};
    before = count;
    add(RuleId{r}, delta, now.last_used_ms.get());
  }
  for (std::size_t b = 0; b < kMaxBridges; ++b) {
    for (std::size_t t = 0; t < 256; ++t) {
      const LooseTableCount& now = w.loose_tables[b][t];
      TableCount& before = seen.tables[b][t];
      const TableCount count{now.lookups.get(), now.matches.get()};
      tables_[b][t].lookups += count.lookups - before.lookups;
      tables_[b][t].matches += count.matches - before.matches;
      before = count;
    }
  }
}

void Collector::add(RuleId rule, TrafficCount count, std::uint64_t last_used_ms) {
  const std::uint32_t i = to_integer(rule);
  if (hit_index_.size() <= i) hit_index_.resize(i + 1);
  if (hit_index_[i] == 0) {
    hits_.push_back({.rule = rule, .count = {}, .last_used_ms = 0});
    hit_index_[i] = static_cast<std::uint32_t>(hits_.size());
  }
  RuleHit& hit = hits_[hit_index_[i] - 1];
  hit.count += count;
  hit.last_used_ms = std::max(hit.last_used_ms, last_used_ms);
}

}  // namespace hoist::software
