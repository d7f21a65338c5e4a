// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>

#include "classifier_support.hpp"

namespace hoist::software {
namespace {

using Version = Classifier::Version;

/// What the classifier must agree with: all rules in a list, compared one by one.
struct Model {
  struct Rule {
    MiniMatch match;
    std::uint16_t priority;
    Version from;
    Version to;
    Entry* entry;
    RuleId id;
  };
  std::vector<Rule> rules;

  [[nodiscard]] static bool is_hit(const Rule& r, const FlowKey& key, Version version) {
    return r.from <= version && version < r.to && r.match.matches(key);
  }
  [[nodiscard]] std::optional<std::uint16_t> best_priority(const FlowKey& key,
                                                           Version version) const {
    std::optional<std::uint16_t> best;
    for (const Rule& r : rules) {
      if (is_hit(r, key, version) && (!best || r.priority > *best)) best = r.priority;
    }
    return best;
  }
  /// Says whether `found` is a right answer: of equal priorities any will do.
  [[nodiscard]] bool agrees(const FlowKey& key, Version version, const Entry* found) const {
    const auto best = best_priority(key, version);
    if (found == nullptr || !best) return found == nullptr && !best;
    for (const Rule& r : rules) {
      if (r.entry == found && r.id == found->rule) {
        return is_hit(r, key, version) && r.priority == *best && found->priority == *best;
      }
    }
    return false;
  }
};

/// Random changes, lookups of all versions that are not settled, and settling, in turn.
class Churn {
 public:
  Churn(std::uint64_t seed, std::size_t rule_limit, std::size_t changes)
      : random_(seed), rule_limit_(rule_limit), changes_(changes) {}

  void step() {
    if (random_.below(50) == 0) is_shrinking_ = !is_shrinking_;
    for (std::size_t n = random_.below(changes_); n > 0; --n) change();
    ++version_;
    check();
    if (random_.below(4) == 0) settle();
    reclaimer_.poll();
  }

 private:
  void change() {
    const Version next = version_ + 1;
    const bool is_add = is_shrinking_ ? random_.below(5) == 0 : random_.below(5) != 0;
    if (model_.rules.size() < rule_limit_ && is_add) {
      const auto priority = static_cast<std::uint16_t>(random_.below(40));
      MiniMatch match = random_.below(3) == 0 && !model_.rules.empty()
                            ? model_.rules[random_.below(model_.rules.size())].match
                            : random_.match();
      Entry* e = classifier_->insert(match, priority, RuleId{++last_id_}, nullptr, next);
      model_.rules.push_back({std::move(match), priority, next, kForever, e, RuleId{last_id_}});
    } else if (!model_.rules.empty()) {
      Model::Rule& r = model_.rules[random_.below(model_.rules.size())];
      if (r.to != kForever) return;
      r.to = next;
      classifier_->remove(r.entry, next);
    }
  }

  void check() {
    std::vector<FlowKey> keys;
    std::vector<const FlowKey*> pointers;
    for (int i = 0; i < 32; ++i) keys.push_back(random_.key());
    for (const FlowKey& k : keys) pointers.push_back(&k);
    std::vector<const Entry*> found(keys.size());
    const Version version = settled_ + static_cast<Version>(random_.below(version_ - settled_ + 1));
    classifier_->lookup(pointers, version, found.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(model_.agrees(keys[i], version, found[i])) << "version " << version;
      EXPECT_TRUE(model_.agrees(keys[i], version, classifier_->lookup(keys[i], version)));
    }
    const auto live = std::ranges::count(model_.rules, kForever, &Model::Rule::to);
    EXPECT_EQ(classifier_->rule_count(), static_cast<std::size_t>(live));
  }

  void settle() {
    settled_ += static_cast<Version>(random_.below(version_ - settled_ + 1));
    std::erase_if(model_.rules, [this](const Model::Rule& r) { return r.to <= settled_; });
    classifier_->settle(settled_);
  }

  static constexpr Version kForever = ~Version{0};
  testing::RandomMatches random_;
  const std::size_t rule_limit_;
  const std::size_t changes_;  ///< Less than this many in a step.
  bool is_shrinking_ = false;
  Reclaimer reclaimer_{1};
  std::unique_ptr<Classifier> classifier_ = Classifier::create(reclaimer_);
  Model model_;
  Version version_ = 1;
  Version settled_ = 1;
  std::uint32_t last_id_ = 0;
};

TEST(ClassifierRandomTest, AgreesWithLinearSearchInEveryVersion) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  for (const std::size_t rule_limit : {4u, 30u, 300u, 1500u}) {
    Churn churn(seed + rule_limit, rule_limit, 8);
    for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) churn.step();
  }
}

// Large enough, and changing fast enough, that whole trees are grown anew meanwhile.
TEST(ClassifierRandomTest, AgreesWithLinearSearchWhileTheTreeIsGrownAnew) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  Churn churn(seed, 4000, 150);
  for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) churn.step();
}

}  // namespace
}  // namespace hoist::software
