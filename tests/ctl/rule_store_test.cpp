// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_store.hpp"

#include "rule_store_fixture.hpp"

namespace hoist::openflow {
namespace {

TEST_F(RuleStoreTest, AddedRuleIsPublishedOnce) {
  const Commit commit = change(addition(ip_dst(1)));
  ASSERT_EQ(commit.changes.size(), 1u);
  EXPECT_EQ(commit.changes[0].kind, RuleChange::Kind::kAdd);
  EXPECT_EQ(commit.changes[0].rule->priority, 0x8000);
  EXPECT_TRUE(store_.commit().changes.empty());
}

TEST_F(RuleStoreTest, IdenticalAddReplacesAndKeepsCountsUnlessTold) {
  change(addition(ip_dst(1)));
  slab_.count({store_.ids(0)[0], {5, 500}, now_ms_});
  const Commit commit = change(addition(ip_dst(1), 2));
  EXPECT_EQ(commit.changes.size(), 2u);
  EXPECT_EQ(only_rule().count, (TrafficCount{5, 500}));
  FlowMod reset = addition(ip_dst(1), 3);
  reset.flags = FlowMod::kResetCounts;
  change(reset);
  EXPECT_EQ(only_rule().count, TrafficCount{});
}

TEST_F(RuleStoreTest, LateCountsOfAReplacedRuleGoToItsSuccessor) {
  change(addition(ip_dst(1)));
  const RuleId old_id = store_.ids(0)[0];
  change(flow_mod(FlowMod::Command::kModify, {}, 2));
  change(flow_mod(FlowMod::Command::kModify, {}, 3));
  slab_.count({old_id, {1, 60}, now_ms_ + 5});
  EXPECT_EQ(only_rule().count, (TrafficCount{1, 60}));
  EXPECT_EQ(only_rule().used_ms, now_ms_ + 5);
}

TEST_F(RuleStoreTest, OverlapIsRefusedOnlyWhenAskedFor) {
  change(addition(ip_dst(1)));
  FlowMod mod = addition(Match{});
  mod.flags = FlowMod::kCheckOverlap;
  EXPECT_EQ(apply(mod).error().name, ErrorName::kFlowModOverlap);
  mod.priority = 1;
  EXPECT_TRUE(apply(mod));
  EXPECT_TRUE(apply(addition(Match{})));
}

TEST_F(RuleStoreTest, ModifyKeepsCookieTimeoutsAndCounts) {
  FlowMod mod = addition(ip_dst(1));
  mod.cookie = 7;
  mod.hard_timeout = 60;
  change(mod);
  slab_.count({store_.ids(0)[0], {5, 500}, now_ms_});
  FlowMod modification = flow_mod(FlowMod::Command::kModifyStrict, ip_dst(1), 9);
  change(modification);
  EXPECT_EQ(only_rule().spec->cookie, 7u);
  EXPECT_EQ(only_rule().hard_timeout, 60);
  EXPECT_EQ(only_rule().count.packets, 5u);
  EXPECT_TRUE(outputs_to(*only_rule().spec->instructions, PortNo{9}));
}

TEST_F(RuleStoreTest, ModifyGivesANewCookieIfItHasOne) {
  change(addition(ip_dst(1)));
  FlowMod mod = flow_mod(FlowMod::Command::kModify);
  mod.new_cookie = 0x1234;
  change(mod);
  EXPECT_EQ(only_rule().spec->cookie, 0x1234u);
}

TEST_F(RuleStoreTest, ModifyThatFindsNothingAddsOnlyInOpenFlow10) {
  FlowMod mod = flow_mod(FlowMod::Command::kModify, ip_dst(1));
  EXPECT_TRUE(change(mod).changes.empty());
  mod.modify_adds_when_missing = true;
  mod.new_cookie = 3;
  EXPECT_EQ(change(mod).changes.size(), 1u);
  EXPECT_EQ(only_rule().spec->cookie, 3u);
}

TEST_F(RuleStoreTest, StrictRequestsNeedTheSamePriority) {
  change(addition(ip_dst(1)));
  FlowMod mod = flow_mod(FlowMod::Command::kDeleteStrict, ip_dst(1));
  mod.priority = 5;
  EXPECT_TRUE(change(mod).changes.empty());
  mod.priority = 0x8000;
  EXPECT_EQ(change(mod).changes.size(), 1u);
  EXPECT_EQ(store_.rule_count(), 0u);
}

TEST_F(RuleStoreTest, DeleteHeedsCookieOutPortAndTable) {
  FlowMod mod = addition(ip_dst(1), 4);
  mod.cookie = 0xa1;
  mod.table_id = 3;
  change(mod);
  FlowMod by_cookie = deletion();
  by_cookie.cookie = 0xb0;
  by_cookie.cookie_mask = 0xf0;
  EXPECT_TRUE(change(by_cookie).changes.empty());
  FlowMod by_port = deletion();
  by_port.out_port = PortNo{5};
  EXPECT_TRUE(change(by_port).changes.empty());
  FlowMod by_table = deletion();
  by_table.table_id = 2;
  EXPECT_TRUE(change(by_table).changes.empty());
  by_cookie.cookie = 0xa0;
  by_cookie.out_port = PortNo{4};
  EXPECT_EQ(change(by_cookie).changes.size(), 1u);
}

TEST_F(RuleStoreTest, NonStrictDeleteTakesOnlyWhatItCovers) {
  change(addition(ip_dst(1)));
  change(addition(Match{}));
  Match ip;
  match_on(ip, FieldId::kEthType, 0x0800);
  EXPECT_EQ(change(deletion(ip)).changes.size(), 1u);
  EXPECT_EQ(only_rule().spec->match.map(), 0u);
}

TEST_F(RuleStoreTest, RefusedRuleCostsNothing) {
  verdict_ = fault(ErrorName::kActionBadOutPort, "no");
  EXPECT_FALSE(apply(addition(ip_dst(1))));
  EXPECT_FALSE(store_.has_pending());
  EXPECT_EQ(slab_.free_count(), slab_.max_rules());
}

TEST_F(RuleStoreTest, RefusedModificationLeavesAllRules) {
  change(addition(ip_dst(1)));
  change(addition(ip_dst(2)));
  verdict_ = fault(ErrorName::kActionBadOutPort, "no");
  EXPECT_FALSE(apply(flow_mod(FlowMod::Command::kModify, {}, 9)));
  EXPECT_TRUE(store_.commit().changes.empty());
  EXPECT_EQ(slab_.free_count(), slab_.max_rules() - 2);
}

TEST_F(RuleStoreTest, NoTableBeyond253) {
  FlowMod mod = addition(ip_dst(1));
  mod.table_id = 254;
  EXPECT_EQ(apply(mod).error().name, ErrorName::kFlowModBadTableId);
}

TEST_F(RuleStoreTest, FullStoreRefuses) {
  RuleSlab slab(1);
  RuleStore store(BridgeId{0}, slab, pool_, [](const RuleSpec&) { return Decoded<void>{}; });
  EXPECT_TRUE(store.apply(addition(ip_dst(1)), 0, {}));
  EXPECT_EQ(store.apply(addition(ip_dst(2)), 0, {}).error().name, ErrorName::kFlowModTableFull);
}

TEST_F(RuleStoreTest, WhatCameAndWentBetweenCommitsIsNotPublished) {
  apply(addition(ip_dst(1)));
  apply(flow_mod(FlowMod::Command::kModify, {}, 2));
  apply(deletion());
  const Commit commit = store_.commit();
  EXPECT_TRUE(commit.changes.empty());
  EXPECT_EQ(commit.retired.size(), 2u);
}

TEST_F(RuleStoreTest, RollbackRestoresEverything) {
  change(addition(ip_dst(1), 1));
  change(addition(ip_dst(2), 1));
  const std::vector<RuleId> before = store_.ids(0xff);
  apply(addition(ip_dst(3)));
  apply(flow_mod(FlowMod::Command::kModify, {}, 7));
  apply(deletion(ip_dst(1)));
  apply(addition(ip_dst(1), 8));
  apply(deletion());
  store_.rollback();
  EXPECT_EQ(store_.ids(0xff), before);
  EXPECT_EQ(slab_.free_count(), slab_.max_rules() - 2);
  EXPECT_TRUE(store_.commit().changes.empty());
  EXPECT_EQ(change(flow_mod(FlowMod::Command::kDeleteStrict, ip_dst(1))).changes.size(), 1u);
}

TEST_F(RuleStoreTest, HardTimeoutCountsFromTheLastModification) {
  FlowMod mod = addition(ip_dst(1));
  mod.hard_timeout = 10;
  change(mod);
  now_ms_ += 5'000;
  change(flow_mod(FlowMod::Command::kModify));
  store_.expire(now_ms_ + 9'999);
  EXPECT_FALSE(store_.has_pending());
  store_.expire(now_ms_ + 10'000);
  EXPECT_EQ(store_.commit().changes.size(), 1u);
}

TEST_F(RuleStoreTest, IdleTimeoutCountsFromTheLastPacket) {
  FlowMod mod = addition(ip_dst(1));
  mod.idle_timeout = 10;
  mod.flags = FlowMod::kSendFlowRem;
  const RuleId id = change(mod).changes[0].rule->id;
  slab_.count({id, {1, 60}, now_ms_ + 3'000});
  store_.expire(now_ms_ + 10'000);
  EXPECT_FALSE(store_.has_pending());
  EXPECT_EQ(store_.next_expiry_ms(), now_ms_ + 13'000);
  store_.expire(now_ms_ + 13'000);
  EXPECT_EQ(store_.commit().retired.size(), 1u);
  EXPECT_TRUE(store_.rule(id).is_removal_reported);
  EXPECT_EQ(store_.rule(id).removed_reason, static_cast<std::uint8_t>(RemovedReason::kIdleTimeout));
}

TEST_F(RuleStoreTest, RulesWithoutTimeoutsAreNeverLookedAt) {
  change(addition(ip_dst(1)));
  EXPECT_EQ(store_.next_expiry_ms(), UINT64_MAX);
}

TEST_F(RuleStoreTest, WatchedStoreTellsWhatHappened) {
  store_.set_watched(true);
  change(addition(ip_dst(1)));
  const Commit modified = change(flow_mod(FlowMod::Command::kModify, {}, 2));
  const Commit removed = change(deletion());
  ASSERT_EQ(modified.events.size(), 1u);
  EXPECT_EQ(modified.events[0].kind, RuleEvent::Kind::kModified);
  EXPECT_TRUE(outputs_to(*modified.events[0].old_instructions, PortNo{1}));
  ASSERT_EQ(removed.events.size(), 1u);
  EXPECT_EQ(removed.events[0].kind, RuleEvent::Kind::kRemoved);
}

TEST_F(RuleStoreTest, ListingKeepsTheOrderOfAddition) {
  for (std::uint32_t i = 0; i < 100; ++i) change(addition(ip_dst(i)));
  for (std::uint32_t i = 0; i < 100; i += 2) {
    change(flow_mod(FlowMod::Command::kDeleteStrict, ip_dst(i)));
  }
  const std::vector<RuleId> ids = store_.ids(0);
  ASSERT_EQ(ids.size(), 50u);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
}

}  // namespace
}  // namespace hoist::openflow
