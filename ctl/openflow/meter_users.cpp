// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/meter_users.hpp"

#include <algorithm>

#include "hoist/meters_of.hpp"

namespace hoist::openflow {

void MeterUsers::add(RuleId id) {
  for_each_meter(*slab_[id].spec->instructions, [&](MeterId meter) {
    Users& users = users_[meter];
    users.ids.push_back(to_integer(id));
    ++users.live_count;
  });
}

void MeterUsers::remove(RuleId id) {
  for_each_meter(*slab_[id].spec->instructions, [&](MeterId meter) {
    const auto found = users_.find(meter);
    Users& users = found->second;
    if (--users.live_count == 0) {
      users_.erase(found);
    } else if (users.ids.size() > 2 * std::size_t{users.live_count} + 16) {
      tidy(users, meter);
    }
  });
}

std::uint32_t MeterUsers::count(MeterId meter) const noexcept {
  const auto found = users_.find(meter);
  return found == users_.end() ? 0 : found->second.live_count;
}

std::vector<RuleId> MeterUsers::of(MeterId meter) const {
  const auto found = users_.find(meter);
  if (found == users_.end()) return {};
  Users users = found->second;
  tidy(users, meter);
  std::vector<RuleId> out;
  out.reserve(users.ids.size());
  for (const std::uint32_t id : users.ids) out.push_back(RuleId{id});
  return out;
}

bool MeterUsers::uses(RuleId id, MeterId meter) const {
  const Rule& rule = slab_[id];
  if (rule.state != Rule::State::kLive) return false;
  bool is_used = false;
  for_each_meter(*rule.spec->instructions, [&](MeterId other) { is_used |= other == meter; });
  return is_used;
}

void MeterUsers::tidy(Users& users, MeterId meter) const {
  std::ranges::sort(users.ids);
  const auto twins = std::ranges::unique(users.ids);
  users.ids.erase(twins.begin(), twins.end());
  const auto gone =
      std::ranges::remove_if(users.ids, [&](std::uint32_t id) { return !uses(RuleId{id}, meter); });
  users.ids.erase(gone.begin(), gone.end());
}

}  // namespace hoist::openflow
