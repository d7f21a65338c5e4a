// SPDX-License-Identifier: BSD-3-Clause
#include "plan/planner.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "rules.hpp"

namespace hoist::offload {
namespace {

/// A stand-in for the translator: what a rule can be follows from the test.
Assessment can(const RuleSpec& rule, bool full, bool partial = false, bool guard = true) {
  Assessment a;
  a.matched = rule.match;
  if (full) a.full = Cost{1, {}};
  if (partial) a.partial = Cost{1, {}};
  if (guard) a.guard = Cost{1, {}};
  if (!full) a.refused = {Refusal::kActionUnsupported, "action: controller runs in software"};
  return a;
}

/// Carries out a plan as a NIC would, and keeps what stands in it.
class Hardware {
 public:
  explicit Hardware(std::uint64_t room = 0) : room_(room) {}

  void run(Planner& planner) {
    while (const auto change = planner.next()) step(planner, *change);
  }
  void step(Planner& planner, const Change& change) {
    if (change.kind != Change::Kind::kRule) return;
    const Desired desired = change.after;
    const auto it = installed.find(change.rule);
    if ((it == installed.end() ? Desired{} : it->second.desired) == desired) return;
    if (desired.form == Form::kNone) {
      installed.erase(it);
      return;
    }
    if (room_ != 0 && installed.size() >= room_ && it == installed.end()) {
      planner.failed_full(installed.size());
      return;
    }
    const Entry& entry = *planner.find(change.rule);
    installed[change.rule] = {desired, entry.rule, *entry.match};
  }

  struct Installed {
    Desired desired;
    std::shared_ptr<const RuleSpec> rule;
    MiniMatch match;
  };
  /// What happens to a packet in a table: the rule that acts, or null: software looks it up.
  [[nodiscard]] const RuleSpec* lookup(std::uint8_t table_id, const FlowKey& key) const {
    const Installed* best = nullptr;
    const auto order = [](const Installed& i) {
      return 2 * i.desired.level + (i.desired.form == Form::kGuard ? 0 : 1);
    };
    for (const auto& [id, i] : installed) {
      if (i.rule->table_id != table_id || !i.match.matches(key)) continue;
      if (best == nullptr || order(i) < order(*best)) best = &i;
    }
    return best == nullptr || best->desired.form == Form::kGuard ? nullptr : best->rule.get();
  }

  std::map<RuleId, Installed> installed;

 private:
  std::uint64_t room_;
};

class PlannerTest : public ::testing::Test {
 protected:
  Planner planner_{PlannerLimits{.level_count = 10000}};
  Hardware nic_;

  void add(const Rule& rule, bool full, bool partial = false, bool guard = true) {
    const auto spec = rule.spec();
    planner_.update({{spec, can(*spec, full, partial, guard)}}, {});
    nic_.run(planner_);
  }
  void remove(std::uint32_t id) {
    const RuleId rule{id};
    planner_.update({}, std::span(&rule, 1));
    nic_.run(planner_);
  }
  [[nodiscard]] Form form(std::uint32_t id) const { return planner_.desired(RuleId{id}).form; }
};

TEST_F(PlannerTest, SoftwareRuleAboveAHardwareRuleGetsAGuard) {
  add(Rule(1).priority(1).output(2), true);
  add(Rule(2).priority(9).ip().output(PortNo::kController), false);
  EXPECT_EQ(form(1), Form::kFull);
  EXPECT_EQ(form(2), Form::kGuard);
  EXPECT_LT(planner_.desired(RuleId{2}).level, planner_.desired(RuleId{1}).level);
}

TEST_F(PlannerTest, SoftwareRuleBelowNeedsNoGuard) {
  add(Rule(1).priority(9).ip().output(2), true);
  add(Rule(2).priority(1).output(PortNo::kController), false);
  EXPECT_EQ(form(2), Form::kNone);
}

TEST_F(PlannerTest, GuardGoesWithTheLastRuleThatNeededIt) {
  add(Rule(2).priority(9).ip().output(PortNo::kController), false);
  add(Rule(1).priority(1).output(2), true);
  EXPECT_EQ(form(2), Form::kGuard);
  remove(1);
  EXPECT_EQ(form(2), Form::kNone);
  EXPECT_TRUE(nic_.installed.empty());
}

TEST_F(PlannerTest, RuleWhollyBehindAGuardIsShadowedAndSaysByWhich) {
  add(Rule(1).priority(9).output(PortNo::kController), false);
  add(Rule(2).priority(1).ip().output(2), true);
  EXPECT_EQ(form(2), Form::kNone);
  EXPECT_EQ(planner_.find(RuleId{2})->why.refusal, Refusal::kShadowed);
  EXPECT_EQ(planner_.find(RuleId{2})->why.reason,
            "shadowed by table=0,priority=9, which is in software");
  remove(1);
  EXPECT_EQ(form(2), Form::kFull);
}

TEST_F(PlannerTest, RuleThatCannotBeGuardedKeepsLowerOnesOut) {
  add(Rule(1).priority(1).output(2), true);
  add(Rule(2).priority(9).ip().output(PortNo::kController), false, false, false);
  EXPECT_EQ(form(1), Form::kNone);
  EXPECT_EQ(
      planner_.find(RuleId{1})->why.reason,
      "shadowed by table=0,priority=9,eth_type=0x800, which is in software and cannot be guarded: "
      "action: controller runs in software");
}

TEST_F(PlannerTest, WhereLevelsAreFewRulesThatOverlapNothingShareOne) {
  planner_ = Planner(PlannerLimits{.level_count = 3});
  for (std::uint32_t i = 1; i <= 50; ++i) {
    add(Rule(i).priority(static_cast<std::uint16_t>(i)).ip().match("nw_dst", i).output(2), true);
  }
  for (std::uint32_t i = 2; i <= 50; ++i) {
    EXPECT_EQ(planner_.desired(RuleId{i}).level, planner_.desired(RuleId{1}).level);
  }
}

TEST_F(PlannerTest, LevelsSufficeForAsManyPrioritiesInAnyOrder) {
  for (const bool is_descending : {false, true}) {
    planner_ = Planner(PlannerLimits{.level_count = 1050});
    nic_ = Hardware();
    for (std::uint32_t i = 1; i <= 800; ++i) {
      const std::uint32_t priority = is_descending ? 801 - i : i;
      add(Rule(i).priority(static_cast<std::uint16_t>(priority)).ip().output(2), true);
    }
    EXPECT_EQ(nic_.installed.size(), 800u);
  }
}

TEST_F(PlannerTest, RejectedRuleBecomesPartialThenSoftware) {
  const auto spec = Rule(1).ip().output(2).spec();
  planner_.update({{spec, can(*spec, true, true)}}, {});
  EXPECT_EQ(planner_.next()->after.form, Form::kFull);
  planner_.failed({Refusal::kNicRejected, "the NIC said: item: no"});
  EXPECT_EQ(planner_.next()->after.form, Form::kPartial);
  planner_.failed({Refusal::kNicRejected, "the NIC said: item: no"});
  EXPECT_FALSE(planner_.next().has_value());
  EXPECT_EQ(form(1), Form::kNone);
  EXPECT_EQ(planner_.find(RuleId{1})->why.reason, "the NIC said: item: no");
}

TEST_F(PlannerTest, FewLevelsAreUsedFromTheTop) {
  planner_ = Planner(PlannerLimits{.level_count = 3});
  add(Rule(1).priority(1).output(2), true);
  add(Rule(2).priority(2).ip().output(2), true);
  add(Rule(3).priority(3).tcp().output(2), true);
  EXPECT_EQ(form(3), Form::kFull);
  add(Rule(4).priority(4).tcp().match("tcp_dst", 80).output(2), true);
  EXPECT_EQ(form(4), Form::kNone);
  EXPECT_EQ(planner_.find(RuleId{4})->why.refusal, Refusal::kPriorityRange);
  EXPECT_EQ(form(3), Form::kNone) << "what it overlaps may not take its packets";
}

TEST_F(PlannerTest, ModificationPutsTheNewRuleInBeforeTheOldGoes) {
  add(Rule(1).ip().output(2), true);
  const auto spec = Rule(2).ip().output(1).spec();
  const RuleId old{1};
  planner_.update({{spec, can(*spec, true)}}, std::span(&old, 1));
  const auto change = planner_.next();
  EXPECT_EQ(change->rule, RuleId{2});
  EXPECT_NE(planner_.desired(RuleId{2}).level, nic_.installed.at(old).desired.level);
}

TEST_F(PlannerTest, FullNicMakesRoomForAGuardFromBelow) {
  nic_ = Hardware(3);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    add(Rule(i).priority(static_cast<std::uint16_t>(i)).ip().match("nw_dst", i).output(2), true);
  }
  add(Rule(9).priority(99).ip().match("nw_src", 1).output(PortNo::kController), false);
  EXPECT_EQ(form(9), Form::kGuard);
  EXPECT_EQ(form(1), Form::kNone);
  EXPECT_EQ(planner_.find(RuleId{1})->why.refusal, Refusal::kTableFull);
  EXPECT_EQ(nic_.installed.size(), 3u);
}

TEST_F(PlannerTest, RoomThatIsFreedIsUsed) {
  nic_ = Hardware(2);
  for (std::uint32_t i = 1; i <= 3; ++i) add(Rule(i).ip().match("nw_dst", i).output(2), true);
  EXPECT_EQ(form(3), Form::kNone);
  remove(1);
  EXPECT_EQ(form(3), Form::kFull);
  EXPECT_EQ(nic_.installed.size(), 2u);
}

TEST_F(PlannerTest, HotRuleTakesThePlaceOfAColdOne) {
  nic_ = Hardware(2);
  for (std::uint32_t i = 1; i <= 4; ++i)
    add(Rule(i).priority(static_cast<std::uint16_t>(9 - i)).match("nw_dst", i), true);
  ASSERT_TRUE(nic_.installed.contains(RuleId{1}) && nic_.installed.contains(RuleId{2}));
  planner_.carried(RuleId{1}, 1000);
  planner_.carried(RuleId{2}, 10);
  planner_.carried(RuleId{3}, 11);
  planner_.carried(RuleId{4}, 500);
  planner_.rank(1);
  planner_.rebalance(10);
  nic_.run(planner_);
  EXPECT_TRUE(nic_.installed.contains(RuleId{1}));
  EXPECT_TRUE(nic_.installed.contains(RuleId{4}));
  EXPECT_EQ(planner_.find(RuleId{2})->why.refusal, Refusal::kTableFull);
  // No hotter by enough: 3 stays where it is.
  EXPECT_EQ(planner_.find(RuleId{3})->why.refusal, Refusal::kTableFull);
}

TEST_F(PlannerTest, ARuleThatWouldLeaveAGuardDoesNotGiveWay) {
  nic_ = Hardware(2);
  add(Rule(1).priority(9).match("nw_dst", 1).match("nw_src", 1), true);
  add(Rule(2).priority(5).match("nw_dst", 1), true);
  add(Rule(3).priority(1).match("nw_dst", 3), true);
  planner_.carried(RuleId{2}, 1000);
  planner_.carried(RuleId{3}, 500);
  planner_.rank(1);
  planner_.rebalance(10);
  nic_.run(planner_);
  EXPECT_TRUE(nic_.installed.contains(RuleId{1}));
  EXPECT_TRUE(nic_.installed.contains(RuleId{2}));
}

/// Random rules come and go one by one. After every single hardware operation each packet meets the
/// rule that OpenFlow gives it in the old or the new rule set, or goes to software; at the end, the
/// new.
struct Chaos {
  std::uint32_t level_count;
  std::uint64_t room;
  bool has_failures;
};

class PlannerChaosTest : public ::testing::TestWithParam<Chaos> {
 protected:
  static constexpr std::uint32_t kBits = 3;
  using Rules = std::map<std::uint32_t, std::shared_ptr<const RuleSpec>>;

  std::mt19937 random_{static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()) +
                       1u};
  Planner planner_{PlannerLimits{.level_count = GetParam().level_count}};
  Hardware nic_{GetParam().room};
  Rules rules_;
  std::map<std::uint32_t, bool> is_never_;
  std::uint32_t last_id_ = 0;

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  static FlowKey key(std::uint32_t packet) {
    FlowKey k{};
    k.nw_src = Be32{packet & 7};
    k.nw_dst = Be32{packet >> kBits & 7};
    return k;
  }
  /// A packet that is_never marks as "not in hardware" cannot be: bit 2 of nw_src plays that part.
  static bool is_in_hardware(std::uint32_t packet) { return (packet & 4) == 0; }

  std::shared_ptr<const RuleSpec> random_rule() {
    Rule rule(++last_id_);
    rule.priority(static_cast<std::uint16_t>(below(6)));
    rule.match("nw_src", below(4), below(4)).match("nw_dst", below(8), below(8));
    if (below(8) == 0) rule.match("nw_src", 4, 4);
    return rule.spec();
  }
  Assessment assess_rule(const RuleSpec& rule) {
    const bool guard = below(10) != 0;
    Assessment a = can(rule, below(3) != 0, below(4) == 0, guard);
    const Match match = rule.match.expand();
    a.is_never = (match.value.nw_src.host() & 4) != 0;
    if (a.is_never) a.full = a.partial = a.guard = std::nullopt;
    if (!a.full && !a.is_never && below(5) == 0) {  // a guard wider than its rule
      Match wide = match;
      wide.mask.nw_dst = wide.value.nw_dst = Be32{0};
      a.matched = MiniMatch(wide);
      a.partial.reset();
    }
    return a;
  }
  static std::uint32_t best(const Rules& rules, const FlowKey& k) {
    std::uint32_t priority = 0;
    for (const auto& [id, rule] : rules) {
      if (rule->match.matches(k)) priority = std::max<std::uint32_t>(priority, rule->priority + 1u);
    }
    return priority;
  }
  /// What stands for a packet, for the message.
  std::string story(const FlowKey& k) const {
    std::string out;
    for (const auto& [id, rule] : rules_) {
      if (!rule->match.matches(k)) continue;
      const Desired d = planner_.desired(rule->id);
      out += "\n  wanted: rule " + std::to_string(id) + " priority " +
             std::to_string(rule->priority) + " form " + std::to_string(static_cast<int>(d.form)) +
             " level " + std::to_string(d.level) + " " + planner_.find(rule->id)->why.reason.text();
    }
    for (const auto& [id, i] : nic_.installed) {
      if (!i.match.matches(k)) continue;
      out += "\n  stands: rule " + std::to_string(to_integer(id)) + " priority " +
             std::to_string(i.rule->priority) + " form " +
             std::to_string(static_cast<int>(i.desired.form)) + " level " +
             std::to_string(i.desired.level);
    }
    return out;
  }
  void expect_right(const Rules& before, const Rules& after, bool is_final) {
    for (std::uint32_t packet = 0; packet < 64; ++packet) {
      if (!is_in_hardware(packet)) continue;
      const FlowKey k = key(packet);
      const RuleSpec* rule = nic_.lookup(0, k);
      if (rule == nullptr) continue;
      const std::uint32_t priority = rule->priority + 1u;
      const bool is_new = after.contains(to_integer(rule->id)) && best(after, k) == priority;
      const bool is_old = before.contains(to_integer(rule->id)) && best(before, k) == priority;
      ASSERT_TRUE(is_new || (!is_final && is_old))
          << "packet " << packet << " meets rule " << to_integer(rule->id)
          << (is_final ? " at the end" : " on the way") << story(k);
    }
  }
  void run(const Rules& before) {
    while (const auto change = planner_.next()) {
      const bool fails =
          GetParam().has_failures && change->kind == Change::Kind::kRule && below(12) == 0;
      if (fails && change->after.form != Form::kNone) {
        planner_.failed({Refusal::kNicRejected, "no"});
      } else {
        nic_.step(planner_, *change);
      }
      expect_right(before, rules_, false);
      if (HasFatalFailure()) return;
    }
    expect_right(before, rules_, true);
  }
};

TEST_P(PlannerChaosTest, NoPacketEverMeetsAWrongRule) {
  for (int turn = 0; turn < 1500 && !HasFatalFailure(); ++turn) {
    const Rules before = rules_;
    if (rules_.size() < 12 || (rules_.size() < 40 && below(2) == 0)) {
      const auto rule = random_rule();
      rules_[to_integer(rule->id)] = rule;
      planner_.update({{rule, assess_rule(*rule)}}, {});
    } else {
      const auto it =
          std::next(rules_.begin(),
                    static_cast<std::ptrdiff_t>(below(static_cast<std::uint32_t>(rules_.size()))));
      const RuleId id{it->first};
      rules_.erase(it);
      planner_.update({}, std::span(&id, 1));
    }
    run(before);
    if (HasFatalFailure() || below(3) != 0) continue;
    for (const auto& [id, rule] : rules_)
      planner_.carried(rule->id, below(3) == 0 ? below(900) : 0);
    planner_.rank(1);
    planner_.rebalance(1 + below(8));
    run(rules_);
  }
}

TEST_P(PlannerChaosTest, NothingIsLeftWhenAllRulesAreGone) {
  for (int i = 0; i < 60; ++i) {
    const auto rule = random_rule();
    rules_[to_integer(rule->id)] = rule;
    planner_.update({{rule, assess_rule(*rule)}}, {});
    nic_.run(planner_);
  }
  std::vector<RuleId> all;
  for (const auto& [id, rule] : rules_) all.push_back(RuleId{id});
  planner_.update({}, all);
  nic_.run(planner_);
  EXPECT_TRUE(nic_.installed.empty());
  EXPECT_EQ(planner_.planned(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Nics, PlannerChaosTest,
                         ::testing::Values(Chaos{10000, 0, false}, Chaos{10000, 0, true},
                                           Chaos{4, 0, false}, Chaos{4, 0, true},
                                           Chaos{10000, 10, false}, Chaos{5, 7, true}));

}  // namespace
}  // namespace hoist::offload
