// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "hoist/field.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

inline void match_on(Match& match, FieldId id, std::uint64_t value) {
  set_field(match.value, field(id), field_value(value), full_mask(field(id)));
  set_field(match.mask, field(id), full_mask(field(id)), full_mask(field(id)));
}

inline Match ip_dst(std::uint32_t address) {
  Match match;
  match_on(match, FieldId::kEthType, 0x0800);
  match_on(match, FieldId::kNwDst, address);
  return match;
}

inline Instructions output_to(std::uint32_t port) {
  Instructions instructions;
  instructions.apply_actions.emplace_back(OutputAction{PortNo{port}, 0});
  return instructions;
}

inline FlowMod flow_mod(FlowMod::Command command, Match match = {}, std::uint32_t port = 1) {
  FlowMod mod;
  mod.command = command;
  mod.match = match;
  mod.instructions = output_to(port);
  return mod;
}
inline FlowMod addition(Match match, std::uint32_t port = 1) {
  return flow_mod(FlowMod::Command::kAdd, match, port);
}
inline FlowMod deletion(Match match = {}) {
  FlowMod mod = flow_mod(FlowMod::Command::kDelete, match);
  mod.table_id = 0xff;
  return mod;
}

class RuleStoreTest : public testing::Test {
 protected:
  Decoded<void> apply(FlowMod mod) { return store_.apply(std::move(mod), now_ms_, {}); }
  /// Applies and commits.
  Commit change(FlowMod mod) {
    EXPECT_TRUE(apply(std::move(mod)).has_value());
    return store_.commit();
  }
  const Rule& only_rule() {
    const std::vector<RuleId> ids = store_.ids(0xff);
    EXPECT_EQ(ids.size(), 1u);
    return store_.rule(ids.front());
  }

  std::uint64_t now_ms_ = 10'000;
  RuleSlab slab_{1'000'000};
  InstructionPool pool_;
  Decoded<void> verdict_;
  RuleStore store_{BridgeId{0}, slab_, pool_, [this](const RuleSpec&) { return verdict_; }};
};

}  // namespace hoist::openflow
