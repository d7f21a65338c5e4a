// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_book.hpp"

#include <utility>

namespace hoist::offload {
namespace {

template <class Visit>
void for_each_meter(const Instructions& instructions, Visit visit) {
  if (instructions.meter_id) visit(MeterId{*instructions.meter_id});
  for (const Action& action : instructions.apply_actions) {
    if (const auto* meter = std::get_if<MeterAction>(&action)) visit(MeterId{meter->meter_id});
  }
}

}  // namespace

std::optional<MeterId> only_meter(const Instructions& instructions) {
  std::optional<MeterId> out;
  std::size_t count = 0;
  for_each_meter(instructions, [&](MeterId meter) {
    out = meter;
    ++count;
  });
  return count == 1 ? out : std::nullopt;
}

void MeterBook::add_user(const RuleSpec& rule) {
  for_each_meter(*rule.instructions, [&](MeterId each) {
    if (meters_[each].insert(rule.id).second) meters_of_[rule.id].push_back(each);
    touch(each);
  });
}

void MeterBook::remove_user(RuleId rule) {
  const auto known = meters_of_.find(rule);
  if (known == meters_of_.end()) return;
  for (const MeterId meter : known->second) {
    const auto users = meters_.find(meter);
    users->second.erase(rule);
    touch(meter);
    if (!users->second.empty()) continue;
    meters_.erase(users);
    unban(meter);
  }
  meters_of_.erase(known);
}

void MeterBook::clear() {
  meters_.clear();
  meters_of_.clear();
  banned_.clear();
  passing_.clear();
  without_room_.clear();
  touched_.clear();
}

std::span<const MeterId> MeterBook::meters_of(RuleId rule) const {
  const auto known = meters_of_.find(rule);
  return known == meters_of_.end() ? std::span<const MeterId>() : known->second;
}

std::vector<RuleId> MeterBook::users(MeterId meter) const {
  const auto known = meters_.find(meter);
  if (known == meters_.end()) return {};
  return {known->second.begin(), known->second.end()};
}

std::size_t MeterBook::user_count(MeterId meter) const {
  const auto known = meters_.find(meter);
  return known == meters_.end() ? 0 : known->second.size();
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
  if (ban != Ban::kLasting) passing_.insert(meter);
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
  const std::set<MeterId> touched = std::exchange(touched_, {});
  return {touched.begin(), touched.end()};
}

}  // namespace hoist::offload
