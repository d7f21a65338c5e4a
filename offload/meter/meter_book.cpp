// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_book.hpp"

#include <algorithm>
#include <utility>

#include "hoist/meters_of.hpp"

namespace hoist::offload {
namespace {

/// Of ids that are all there once for each time that they came or went: those that have come and
/// not gone.
template <class Ids>
Ids still_there(Ids ids) {
  std::ranges::sort(ids);
  std::size_t n = 0;
  for (auto first = ids.begin(); first != ids.end();) {
    const auto next = std::upper_bound(first, ids.end(), *first);
    if ((next - first) % 2 == 1) ids[n++] = *first;
    first = next;
  }
  ids.resize(n);
  return ids;
}

}  // namespace

std::optional<MeterId> only_meter(const Instructions& instructions) {
  const auto names_meter = [](const Action& a) { return std::holds_alternative<MeterAction>(a); };
  const auto count = std::ranges::count_if(instructions.apply_actions, names_meter) +
                     (instructions.meter_id ? 1 : 0);
  if (count != 1) return std::nullopt;
  std::optional<MeterId> out;
  for_each_meter(instructions, [&](MeterId meter) { out = meter; });
  return out;
}

void MeterBook::add_user(const RuleSpec& rule) {
  for_each_meter(*rule.instructions, [&](MeterId each) {
    Users& users = meters_[each];
    users.ids.push_back(rule.id);
    ++users.count;
    touch(each);
  });
}

void MeterBook::remove_user(const RuleSpec& rule) {
  for_each_meter(*rule.instructions, [&](MeterId meter) {
    const auto known = meters_.find(meter);
    if (known == meters_.end()) return;
    touch(meter);
    Users& users = known->second;
    if (--users.count == 0) {
      meters_.erase(known);
      unban(meter);
      return;
    }
    users.ids.push_back(rule.id);
    if (users.ids.size() > 2 * users.count + 16) users.ids = still_there(std::move(users.ids));
  });
}

void MeterBook::clear() {
  meters_.clear();
  banned_.clear();
  passing_.clear();
  without_room_.clear();
  touched_.clear();
}

std::vector<RuleId> MeterBook::users(MeterId meter) const {
  const auto known = meters_.find(meter);
  if (known == meters_.end()) return {};
  return still_there(std::vector<RuleId>(known->second.ids.begin(), known->second.ids.end()));
}

std::size_t MeterBook::user_count(MeterId meter) const {
  const auto known = meters_.find(meter);
  return known == meters_.end() ? 0 : known->second.count;
}

std::variant<MeterForm, Refused> MeterBook::form(MeterId meter) const {
  if (const auto banned = banned_.find(meter); banned != banned_.end()) return banned->second;
  const auto config = configs_.find(meter);
  if (config == configs_.end()) return meter_refused(meter, "it is not known yet");
  return meter_form(*config->second, capabilities_);
}

void MeterBook::ban(MeterId meter, const Refused& why, Ban ban) {
  unban(meter);
  banned_.emplace(meter, why);
  if (ban == Ban::kPassing) passing_.insert(meter);
  if (ban == Ban::kNoRoom) without_room_.insert(meter);
}

void MeterBook::unban(MeterId meter) {
  banned_.erase(meter);
  passing_.erase(meter);
  without_room_.erase(meter);
}

std::optional<std::uint32_t> MeterBook::release(MeterId meter) {
  const auto standing = numbers_.find(meter);
  touch(meter);
  if (--standing->second.rule_count != 0) return std::nullopt;
  const std::uint32_t number = standing->second.number;
  numbers_.erase(standing);
  return number;
}

std::size_t MeterBook::hardware_count(MeterId meter) const {
  const auto standing = numbers_.find(meter);
  return standing == numbers_.end() ? 0 : standing->second.rule_count;
}

std::vector<MeterId> MeterBook::take_touched() {
  std::vector<MeterId> touched = std::exchange(touched_, {});
  std::ranges::sort(touched);
  const auto twins = std::ranges::unique(touched);
  touched.erase(twins.begin(), twins.end());
  return touched;
}

}  // namespace hoist::offload
