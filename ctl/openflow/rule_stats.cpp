// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_stats.hpp"

#include <algorithm>

namespace hoist::openflow {
namespace {

/// Ages saturate at what OpenFlow's 16 bits hold.
std::uint16_t age_s(std::uint64_t since_ms, std::uint64_t now_ms) noexcept {
  const std::uint64_t age = now_ms > since_ms ? (now_ms - since_ms) / 1000 : 0;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(age, UINT16_MAX));
}

}  // namespace

FlowStats stats_of(const Rule& rule, std::uint64_t now_ms) noexcept {
  const std::uint64_t duration_ms = now_ms > rule.created_ms ? now_ms - rule.created_ms : 0;
  return FlowStats{.table_id = rule.spec->table_id,
                   .duration_s = static_cast<std::uint32_t>(duration_ms / 1000),
                   .duration_ns = static_cast<std::uint32_t>(duration_ms % 1000 * 1'000'000),
                   .priority = rule.spec->priority,
                   .idle_timeout = rule.idle_timeout,
                   .hard_timeout = rule.hard_timeout,
                   .idle_age_s = age_s(rule.used_ms, now_ms),
                   .hard_age_s = age_s(rule.modified_ms, now_ms),
                   .flags = rule.flags,
                   .importance = rule.importance,
                   .cookie = rule.spec->cookie,
                   .count = rule.count,
                   .match = &rule.spec->match,
                   .instructions = rule.spec->instructions.get()};
}

}  // namespace hoist::openflow
