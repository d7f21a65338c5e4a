// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/meter_dump.hpp"

#include <algorithm>

namespace hoist::openflow {
namespace {

constexpr std::size_t kSlice = 512;  // Meters a call; well below a millisecond.

}  // namespace

bool MeterStatsDump::write_slice() {
  const std::size_t end = std::min(ids_.size(), next_ + kSlice);
  MeterStats stats;
  for (; next_ < end; ++next_) {
    const MeterRegistry::Meter* meter = bridge_.meters().find(ids_[next_]);
    if (meter == nullptr || !bridge_.meter_stats(ids_[next_], stats)) continue;
    const std::uint64_t age_ms = bridge_.now_ms() - meter->created_ms;
    reply_.add({.meter_id = ids_[next_],
                .flow_count = bridge_.rules().meter_users().count(ids_[next_]),
                .duration_s = static_cast<std::uint32_t>(age_ms / 1000),
                .duration_ns = static_cast<std::uint32_t>(age_ms % 1000 * 1'000'000),
                .stats = &stats});
  }
  if (next_ < ids_.size()) return false;
  reply_.finish();
  return true;
}

bool MeterConfigDump::write_slice() {
  const std::size_t end = std::min(ids_.size(), next_ + kSlice);
  for (; next_ < end; ++next_) {
    const MeterRegistry::Meter* meter = bridge_.meters().find(ids_[next_]);
    if (meter != nullptr) reply_.add(*meter->config);
  }
  if (next_ < ids_.size()) return false;
  reply_.finish();
  return true;
}

}  // namespace hoist::openflow
