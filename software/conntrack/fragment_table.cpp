// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/fragment_table.hpp"

#include <rte_mbuf.h>

#include <cassert>
#include <utility>

namespace hoist::software {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

void add_to(FragmentLedger::Count& count, std::uint64_t n = 1) noexcept {
  count.fetch_add(n, kRelaxed);
}

}  // namespace

FragmentTable::FragmentTable(FragmentLedger& ledger)
    : ledger_(ledger), nodes_(FragmentLedger::kHeldMost) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) nodes_[i].next = i + 1;
  nodes_.back().next = kEnd;
  packets_.reserve(nodes_.size());
}

FragmentTable::~FragmentTable() {
  for (const auto& [key, whole] : packets_) add_to(ledger_.of(key.family).purged, free_all(whole));
}

bool FragmentTable::may_hold(const FragmentKey& key, const Fragment& fragment) noexcept {
  FragmentLedger::Family& family = ledger_.of(key.family);
  if (!fragment.is_last && fragment.size() < family.size_least.load(kRelaxed)) {
    add_to(family.too_small);
    return false;
  }
  return family.is_enabled.load(kRelaxed) && has_room();
}

bool FragmentTable::has_room() const noexcept {
  return free_ != kEnd && ledger_.held.load(kRelaxed) < ledger_.held_most.load(kRelaxed);
}

std::uint32_t FragmentTable::take_node() noexcept {
  ledger_.held.fetch_add(1, kRelaxed);
  return std::exchange(free_, nodes_[free_].next);
}

void FragmentTable::give_back(std::uint32_t node) noexcept {
  ledger_.held.fetch_sub(1, kRelaxed);
  nodes_[node].next = std::exchange(free_, node);
}

/// False: it overlaps what is there, or contradicts where that says the end is.
bool FragmentTable::link(Incomplete& whole, const Fragment& fragment, rte_mbuf* packet) noexcept {
  const std::uint32_t end = std::uint32_t{fragment.payload_offset} + fragment.payload_size;
  if (whole.total_size != 0 && (fragment.is_last || end > whole.total_size)) return false;
  std::uint32_t* at = &whole.first;
  std::uint32_t reached = 0;
  while (*at != kEnd && nodes_[*at].fragment.payload_offset < fragment.payload_offset) {
    const HeldFragment& before = nodes_[*at].fragment;
    reached = std::uint32_t{before.payload_offset} + before.payload_size;
    at = &nodes_[*at].next;
  }
  const bool is_behind = *at != kEnd;
  if (fragment.payload_offset < reached) return false;
  if (is_behind && (fragment.is_last || nodes_[*at].fragment.payload_offset < end)) return false;
  const std::uint32_t node = take_node();
  nodes_[node] = {{packet, fragment.l3_offset, fragment.headers_end, fragment.payload_offset,
                   fragment.payload_size},
                  *at};
  *at = node;
  whole.held_size += fragment.payload_size;
  ++whole.count;
  if (fragment.is_last) whole.total_size = end;
  return true;
}

FragmentTable::Admission FragmentTable::add(const FragmentKey& key, const Fragment& fragment,
                                            rte_mbuf* packet, std::uint64_t now_ms) noexcept {
  if (!may_hold(key, fragment)) return Admission::kRefused;
  const auto found =
      packets_.try_emplace(key, Incomplete{.expires_ms = now_ms + FragmentLedger::kTimeoutMs});
  Incomplete& whole = found.first->second;
  if (whole.count == kPartsMost) return Admission::kRefused;
  FragmentLedger::Family& family = ledger_.of(key.family);
  if (!link(whole, fragment, packet)) {
    add_to(family.overlapping);
    return Admission::kRefused;
  }
  add_to(family.accepted);
  // No gaps: without overlaps the sizes can only add up if all is there.
  return whole.held_size == whole.total_size ? Admission::kComplete : Admission::kHeld;
}

std::size_t FragmentTable::take(const FragmentKey& key, std::span<HeldFragment> out) noexcept {
  assert(out.size() >= kPartsMost);
  const auto found = packets_.find(key);
  if (found == packets_.end()) return 0;
  std::size_t count = 0;
  for (std::uint32_t node = found->second.first; node != kEnd;) {
    const std::uint32_t next = nodes_[node].next;
    out[count++] = nodes_[node].fragment;
    give_back(node);
    node = next;
  }
  add_to(ledger_.of(key.family).completed, count);
  packets_.erase(found);
  return count;
}

std::size_t FragmentTable::free_all(const Incomplete& whole) noexcept {
  for (std::uint32_t node = whole.first; node != kEnd;) {
    const std::uint32_t next = nodes_[node].next;
    rte_pktmbuf_free(nodes_[node].fragment.packet);
    give_back(node);
    node = next;
  }
  return whole.count;
}

std::size_t FragmentTable::expire(std::uint64_t now_ms) noexcept {
  constexpr std::uint64_t kLookEveryMs = 500;
  if (packets_.empty() || now_ms < next_look_ms_) return 0;
  next_look_ms_ = now_ms + kLookEveryMs;
  std::size_t freed = 0;
  for (auto it = packets_.begin(); it != packets_.end();) {
    const auto here = it++;
    if (here->second.expires_ms > now_ms) continue;
    const std::size_t count = free_all(here->second);
    add_to(ledger_.of(here->first.family).expired, count);
    freed += count;
    packets_.erase(here);
  }
  return freed;
}

}  // namespace hoist::software
