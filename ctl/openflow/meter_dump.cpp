// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/meter_dump.hpp"

#include <algorithm>

namespace hoist::openflow {
namespace {

constexpr std::size_t kSlice = 512;  // Meters a call; well below a millisecond.

}  // namespace

template <>
void MeterDump<MeterStatsReply>::add(const MeterRegistry::Meter& meter) {
  const MeterId id = meter.config->id;
  MeterStats stats;
  if (!bridge_.meter_stats(id, stats)) return;
  const std::uint64_t age_ms = bridge_.now_ms() - meter.created_ms;
  reply_.add({.meter_id = id,
              .flow_count = bridge_.rules().meter_users().count(id),
              .duration_s = static_cast<std::uint32_t>(age_ms / 1000),
              .duration_ns = static_cast<std::uint32_t>(age_ms % 1000 * 1'000'000),
              .stats = &stats});
}

template <>
void MeterDump<MeterConfigReply>::add(const MeterRegistry::Meter& meter) {
  reply_.add(*meter.config);
}

template <>
std::size_t MeterDump<MeterStatsReply>::allowance(std::size_t wanted) {
  return bridge_.planes().meter_reads().take(wanted, bridge_.now_ms());
}

template <>
std::size_t MeterDump<MeterConfigReply>::allowance(std::size_t wanted) {
  return wanted;
}

template <class Reply>
typename MeterDump<Reply>::Progress MeterDump<Reply>::write_slice() {
  const std::size_t wanted = std::min(ids_.size() - next_, kSlice);
  const std::size_t count = allowance(wanted);
  if (count == 0 && wanted != 0) return Progress::kHeld;
  const std::size_t end = next_ + count;
  for (; next_ < end; ++next_) {
    if (const MeterRegistry::Meter* meter = bridge_.meters().find(ids_[next_])) add(*meter);
  }
  if (next_ < ids_.size()) return Progress::kMore;
  reply_.finish();
  return Progress::kDone;
}

template class MeterDump<MeterStatsReply>;
template class MeterDump<MeterConfigReply>;

}  // namespace hoist::openflow
