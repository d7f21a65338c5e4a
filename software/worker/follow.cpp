// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/trail_recorder.hpp"
#include "worker/misses.hpp"

namespace hoist::software {
namespace {

/// Packets that look up the same table at once.
struct Round {
  std::size_t count = 0;
  std::array<std::uint8_t, kBurst> who;
  std::array<const FlowKey*, kBurst> keys;
  std::array<const Entry*, kBurst> entries;
  std::array<TrailKey, kBurst> trails;
  std::array<Trail*, kBurst> places;
};

void gather(const Misses& misses, std::uint32_t waiting, std::uint8_t table_id, Round& round) {
  round.count = 0;
  for_each_bit(waiting, [&](std::uint32_t m) {
    if (misses.table[m] != table_id) return;
    round.who[round.count] = static_cast<std::uint8_t>(m);
    round.keys[round.count++] = &misses.keys[m];
  });
}

void look_up(const Worker& worker, const Burst& burst, std::uint8_t table_id, Round& round) {
  const Classifier* table = worker.view->bridges[burst.in.bridge].tables->table(table_id);
  if (table == nullptr) {
    round.entries.fill(nullptr);
  } else {
    table->lookup({round.keys.data(), round.count}, worker.version, round.entries.data());
  }
}

void find_trails(const Worker& worker, const Misses& misses, Round& round) {
  for (std::size_t i = 0; i < round.count; ++i) {
    round.trails[i] = trail_key(misses.from[round.who[i]], round.entries[i]);
    round.places[i] = worker.trails.places(round.trails[i]);
    __builtin_prefetch(round.places[i]);
  }
}

/// Sets the state that the next lookup sees.
void go_on(const Trail& trail, Misses& misses, std::uint32_t m) {
  trail.set_state(misses.keys[m]);
  misses.from[m] = trail.to;
  misses.table[m] = trail.table_id;
}

void clear_state(FlowKey& key) {
  for (std::size_t i = kPacketWords; i < kFlowKeyWords; ++i) words(key)[i] = 0;
}

}  // namespace

std::uint32_t follow_trails(Worker& worker, Burst& burst, Misses& misses,
                            std::uint32_t wanted) noexcept {
  std::uint32_t waiting = wanted;
  std::uint32_t lost = 0;
  misses.from.fill(worker.view->ports[burst.in.slot].trail_root);
  misses.table.fill(0);
  for (bool is_first = true; waiting != 0; is_first = false) {
    Round round;
    const std::uint8_t table_id = misses.table[static_cast<std::size_t>(__builtin_ctz(waiting))];
    gather(misses, waiting, table_id, round);
    look_up(worker, burst, table_id, round);
    find_trails(worker, misses, round);
    for (std::size_t i = 0; i < round.count; ++i) {
      const std::uint32_t m = round.who[i];
      if (is_first) misses.first[m] = round.entries[i];
      const Trail* trail = TrailStore::find(round.trails[i], round.places[i]);
      if (trail != nullptr && trail->next == Trail::Next::kLookUp) {
        go_on(*trail, misses, m);
        continue;
      }
      waiting &= ~(1u << m);
      if (trail != nullptr && trail->next == Trail::Next::kSegment) {
        const SegmentRef ref = trail->segment();
        burst.segments[misses.index[m]] = ref;
        if (worker.segments->is_live(ref)) continue;
      }
      lost |= 1u << m;
      if (!is_first) clear_state(misses.keys[m]);
    }
  }
  return lost;
}

}  // namespace hoist::software
