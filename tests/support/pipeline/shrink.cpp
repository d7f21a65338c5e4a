// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/shrink.hpp"

#include <algorithm>
#include <utility>

namespace hoist::test {
namespace {

template <class List>
void erase_run(List& list, std::size_t first, std::size_t last) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
             list.begin() + static_cast<std::ptrdiff_t>(last));
}
void erase_run(ActionList& list, std::size_t first, std::size_t last) {
  std::vector<Action> left(list.begin(), list.end());
  erase_run(left, first, last);
  list = std::move(left);
}

class Shrinker {
 public:
  Shrinker(Scenario scenario, const std::function<bool(const Scenario&)>& fails, unsigned tries_max)
      : best_(std::move(scenario)), fails_(fails), tries_left_(tries_max) {}

  Scenario run() {
    bool has_progress = true;
    while (has_progress && tries_left_ > 0) {
      has_progress = drop_runs([](Scenario & s) -> auto& { return s.steps; });
      for (std::size_t i = 0; i < best_.steps.size(); ++i) has_progress |= shrink_step(i);
      has_progress |= simplify_rules();
    }
    return best_;
  }

 private:
  bool accept(Scenario candidate) {
    if (tries_left_ == 0) return false;
    --tries_left_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Drops runs of elements of a list within the scenario, long runs first.
  template <class ListOf>
  bool drop_runs(ListOf list_of) {
    bool has_progress = false;
    for (std::size_t run = std::max<std::size_t>(list_of(best_).size() / 2, 1); run > 0; run /= 2) {
      for (std::size_t at = 0; at < list_of(best_).size() && tries_left_ > 0;) {
        Scenario candidate = best_;
        auto& list = list_of(candidate);
        const std::size_t end = std::min(at + run, list.size());
        erase_run(list, at, end);
        if (accept(std::move(candidate))) {
          has_progress = true;
        } else {
          at += run;
        }
      }
    }
    return has_progress;
  }

  bool shrink_step(std::size_t i) {
    if (std::holds_alternative<Changes>(best_.steps[i])) {
      return drop_runs([i](Scenario & s) -> auto& { return std::get<Changes>(s.steps[i]); });
    }
    if (std::holds_alternative<Burst>(best_.steps[i])) {
      return drop_runs([i](Scenario & s) -> auto& { return std::get<Burst>(s.steps[i]); });
    }
    if (std::holds_alternative<PacketOut>(best_.steps[i])) {
      return drop_runs([i](Scenario & s) -> auto& {
        return std::get<PacketOut>(s.steps[i]).actions;
      });
    }
    return false;
  }

  bool simplify_rules() {
    bool has_progress = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      const auto* changes = std::get_if<Changes>(&best_.steps[i]);
      const std::size_t count = changes == nullptr ? 0 : changes->size();
      for (std::size_t j = 0; j < count; ++j) {
        has_progress |= simplify(std::get<Changes>(best_.steps[i])[j].rule);
      }
    }
    return has_progress;
  }

  /// Puts `fresh` wherever the scenario names the rule of that id.
  bool replace(const RuleSpec& fresh) {
    Scenario candidate = best_;
    const auto shared = std::make_shared<const RuleSpec>(fresh);
    for (Step& step : candidate.steps) {
      auto* changes = std::get_if<Changes>(&step);
      if (changes == nullptr) continue;
      for (RuleChange& change : *changes) {
        if (change.rule->id == fresh.id) change.rule = shared;
      }
    }
    return accept(std::move(candidate));
  }

  bool simplify(std::shared_ptr<const RuleSpec> rule) {
    bool has_progress = false;
    const auto try_instructions = [&](auto change) {
      auto instructions = std::make_shared<Instructions>(*rule->instructions);
      if (!change(*instructions)) return;
      RuleSpec fresh = *rule;
      fresh.instructions = std::move(instructions);
      if (!replace(fresh)) return;
      rule = std::make_shared<const RuleSpec>(fresh);
      has_progress = true;
    };
    const auto drop_at = [](ActionList& actions, std::size_t at) {
      if (at >= actions.size()) return false;
      actions.erase(actions.begin() + at);
      return true;
    };
    for (std::size_t n = 8; n-- > 0;) {
      try_instructions([&](Instructions& i) { return drop_at(i.apply_actions, n); });
      try_instructions([&](Instructions& i) { return drop_at(i.write_actions, n); });
    }
    try_instructions([](Instructions& i) { return std::exchange(i.meter_id, {}).has_value(); });
    try_instructions([](Instructions& i) { return std::exchange(i.has_clear_actions, false); });
    try_instructions(
        [](Instructions& i) { return std::exchange(i.write_metadata, {}).has_value(); });
    try_instructions([](Instructions& i) { return std::exchange(i.goto_table, {}).has_value(); });
    return has_progress;
  }

  Scenario best_;
  const std::function<bool(const Scenario&)>& fails_;
  unsigned tries_left_;
};

}  // namespace

Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& fails,
                unsigned tries_max) {
  return Shrinker(std::move(scenario), fails, tries_max).run();
}

}  // namespace hoist::test
