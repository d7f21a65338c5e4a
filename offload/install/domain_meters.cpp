// SPDX-License-Identifier: BSD-3-Clause
// What keeps a meter and all its rules in one plane.
#include <algorithm>

#include "hoist/meters_of.hpp"
#include "install/bridge_domain.hpp"
#include "translate/rule_text.hpp"

namespace hoist::offload {
namespace {

/// A meter with more rules than this is not looked at anew for each rule that comes or goes, only
/// when it is time to try again.
constexpr std::size_t kFewUsers = 256;
/// Meters without room that are tried before it is known that there is none.
constexpr std::size_t kTriedAtOnce = 16;

Refused shares_with(MeterId meter, const RuleSpec& rule, const Refused& why) {
  // A rule that is out because of the meter says only that again.
  if (why.refusal == Refusal::kMeterInSoftware) return why;
  return meter_refused(meter, rule_text(rule) + ", which uses it too, is: " + why.reason.text());
}

}  // namespace

/// The meter of a rule about to be made: created with its first.
FlowResult<void> BridgeDomain::take_meter(Standing& standing, MeterId meter) {
  if (!meters_.is_in_hardware(meter)) {
    const auto form = meters_.form(meter);
    if (const auto* refused = std::get_if<Refused>(&form)) {
      return tl::unexpected(FlowFailure{.why = *refused});
    }
    const auto number = meter_port_.create(std::get<MeterForm>(form));
    if (!number) {
      // Room for meters is not room for rules: the planner is to learn nothing of it.
      send_home(meter, meter_refused(meter, number.error().why.reason.text()),
                number.error().is_full ? Ban::kNoRoom : Ban::kPassing);
      return tl::unexpected(FlowFailure{.why = number.error().why});
    }
    meters_.enter(meter, *number);
  }
  meters_.acquire(meter);
  standing.meter = meter;
  return {};
}

void BridgeDomain::release_meter(Standing& standing) {
  if (!standing.meter) return;
  const MeterId meter = *standing.meter;
  standing.meter.reset();
  const std::uint32_t number = meters_.number(meter);
  if (!meters_.release(meter)) return;
  count_meter(meter, number);
  meter_port_.destroy(number);
}

void BridgeDomain::count_meter(MeterId meter, std::uint32_t number) {
  shared_.hits.add_meter(
      {.bridge = bridge_, .meter = meter, .in = {}, .dropped = meter_port_.read_dropped(number)});
}

void BridgeDomain::note_users(std::span<const RuleRef> added, std::span<const RuleId> removed) {
  for (const RuleId id : removed) {
    const auto rule = rules_.find(id);
    if (rule != rules_.end()) meters_.remove_user(*rule->second);
  }
  for (const RuleRef& rule : added) meters_.add_user(*rule);
  if (meters_.is_empty()) return;
  // With other rules, what stood in the way may be gone.
  for (const MeterId meter : meters_.take_touched()) {
    if (meters_.is_banned(meter) && meters_.user_count(meter) <= kFewUsers) try_meter_again(meter);
    meters_.touch(meter);
  }
}

/// Before anything is done: a rule that cannot be in hardware keeps its meter, and the other rules
/// of that, in software.
void BridgeDomain::hold_together(Assessed& added) {
  if (meters_.is_empty()) return;
  bool has_news = false;
  for (const auto& [rule, assessment] : added) {
    if (assessment.full && !assessment.is_never) continue;
    for_each_meter(*rule->instructions,
                   [&, &why = assessment.refused, &spec = *rule](MeterId meter) {
                     if (meters_.is_banned(meter)) return;
                     send_home(meter, shares_with(meter, spec, why), Ban::kLasting);
                     has_news = true;
                   });
  }
  if (!has_news) return;
  for (auto& [rule, assessment] : added) {
    const auto meter = only_meter(*rule->instructions);
    if (meter && meters_.is_banned(*meter)) assessment = assess(*rule, context(), layout_);
  }
}

/// A rule of the meter that is not in hardware. Null: there is none.
const Entry* BridgeDomain::find_stranger(MeterId meter) const {
  for (const RuleId rule : meters_.users(meter)) {
    const Entry* entry = planner_->find(rule);
    if (entry != nullptr && entry->desired.form != Form::kFull) return entry;
  }
  return nullptr;
}

/// After steps: meters of which some rules have found a place and others have not leave with all
/// their rules; those that found no room at all wait together. Whether there is something to do
/// now.
bool BridgeDomain::send_home() {
  bool has_work = false;
  for (const MeterId meter : meters_.take_touched()) {
    const std::size_t here = meters_.hardware_count(meter);
    if (here == meters_.user_count(meter) || meters_.is_banned(meter)) continue;
    const Entry* stranger = find_stranger(meter);
    if (stranger == nullptr) continue;
    const bool is_full = stranger->why.refusal == Refusal::kTableFull;
    if (here == 0 && !is_full) continue;
    send_home(meter, shares_with(meter, *stranger->rule, stranger->why),
              is_full ? Ban::kNoRoom : Ban::kPassing);
    has_work = true;
  }
  return has_work;
}

/// Steps, and those that they entail: of meters that leave with all their rules.
void BridgeDomain::take_steps_of_all() {
  take_steps();
  while (!needs_rebuild_ && send_home()) take_steps();
}

void BridgeDomain::send_home(MeterId meter, Refused why, Ban ban) {
  // The planner knows by it that partial forms must not take the room either.
  if (ban == Ban::kNoRoom) why.refusal = Refusal::kTableFull;
  meters_.ban(meter, why, ban);
  if (ban != Ban::kLasting && retry_at_ms_ <= shared_.now_ms()) retry_later();
  for (const RuleId rule : meters_.users(meter)) planner_->withdraw(rule, why);
}

void BridgeDomain::try_meter_again(MeterId meter) {
  meters_.unban(meter);
  Assessed users;
  for (const RuleId id : meters_.users(meter)) {
    const auto rule = rules_.find(id);
    const bool is_known = rule != rules_.end() && planner_->find(id) != nullptr;
    if (is_known) users.emplace_back(rule->second, assess(*rule->second, context(), layout_));
  }
  for (const auto& [rule, assessment] : users) {
    if (assessment.full && !assessment.is_never) continue;
    return meters_.ban(meter, shares_with(meter, *rule, assessment.refused), Ban::kLasting);
  }
  for (auto& [rule, assessment] : users) planner_->reassess(rule->id, std::move(assessment));
  meters_.touch(meter);
}

/// Those without room a few at a time: when one finds none again, the others would not either.
void BridgeDomain::retry_meters() {
  const std::vector<MeterId> without_room(meters_.without_room().begin(),
                                          meters_.without_room().end());
  for (const MeterId meter : meters_.passing_bans()) try_meter_again(meter);
  take_steps_of_all();
  for (std::size_t i = 0; i < without_room.size() && !needs_rebuild_; i += kTriedAtOnce) {
    const auto some =
        std::span(without_room).subspan(i, std::min(kTriedAtOnce, without_room.size() - i));
    for (const MeterId meter : some) try_meter_again(meter);
    take_steps_of_all();
    if (std::ranges::any_of(some, [this](MeterId m) { return meters_.is_banned(m); })) return;
  }
}

/// What a meter with all its rules is worth, and the room that they take.
RoomUnit BridgeDomain::room_unit(MeterId meter) const {
  RoomUnit unit{.id = to_integer(meter)};
  for (const RuleId rule : meters_.users(meter)) {
    const Entry* entry = planner_->find(rule);
    if (entry == nullptr || !entry->assessment.full) continue;
    unit.worth += entry->rate;
    unit.size += entry->assessment.full->rule_count;
  }
  return unit;
}

bool BridgeDomain::may_give_way(MeterId meter) const {
  return std::ranges::all_of(meters_.users(meter),
                             [this](RuleId rule) { return planner_->may_give_way(rule); });
}

/// Meters that find no room take the places of colder ones, each with all its rules.
void BridgeDomain::rank_meters(std::size_t moves_max) {
  if (meters_.without_room().empty() || moves_max == 0) return;
  std::vector<RoomUnit> hot;
  for (const MeterId meter : meters_.without_room()) hot.push_back(room_unit(meter));
  std::vector<RoomUnit> cold;
  meters_.for_each_in_hardware(
      [&](MeterId meter, std::uint32_t) { cold.push_back(room_unit(meter)); });
  // What room there is, retry() fills.
  const auto swaps =
      choose_swaps(std::move(hot), std::move(cold), 0, moves_max,
                   [this](const RoomUnit& unit) { return may_give_way(MeterId{unit.id}); });
  for (const Swap& swap : swaps) {
    for (const std::uint32_t id : swap.out) {
      const MeterId meter{id};
      send_home(meter, meter_refused(meter, "hotter ones have its room"), Ban::kNoRoom);
    }
  }
  take_steps();
  for (const Swap& swap : swaps) try_meter_again(MeterId{swap.in});
}

void BridgeDomain::update_meters(std::span<const MeterId> changed) {
  needs_rebuild_ = false;
  for (const MeterId meter : changed) {
    if (!meters_.is_in_hardware(meter)) {
      try_meter_again(meter);
      continue;
    }
    const auto form = meters_.form(meter);
    if (const auto* refused = std::get_if<Refused>(&form)) {
      send_home(meter, *refused, Ban::kLasting);
      continue;
    }
    const auto done = meter_port_.update(meters_.number(meter), std::get<MeterForm>(form));
    if (!done)
      send_home(meter, meter_refused(meter, done.error().why.reason.text()), Ban::kPassing);
  }
  take_steps_of_all();
  if (needs_rebuild_) refill();
}

}  // namespace hoist::offload
