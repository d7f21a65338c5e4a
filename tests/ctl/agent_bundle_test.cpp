// SPDX-License-Identifier: BSD-3-Clause
#include "agent_fixture.hpp"

namespace hoist::openflow {
namespace {

using Types = std::vector<int>;
constexpr std::uint8_t kExperimenter = 4;
constexpr std::uint32_t kOnf = 0x4f4e4600;

class BundleTest : public AgentTest {
 protected:
  static Bytes control(std::uint16_t type) {
    return MessageBytes(Version::kOf13, kExperimenter, 1)
        .u32(kOnf)
        .u32(2300)
        .u32(5)
        .u16(type)
        .u16(1)
        .done();
  }
  static Bytes add(const FlowModBytes& flow_mod) {
    return MessageBytes(Version::kOf13, kExperimenter, flow_mod.xid)
        .u32(kOnf)
        .u32(2301)
        .u32(5)
        .u16(0)
        .u16(1)
        .add(flow_mod_message(flow_mod))
        .done();
  }
};

TEST_F(BundleTest, NothingHappensBeforeCommit) {
  auto session = connect();
  give(*session, {control(BundleTable::kOpen), add({.in_port = 1}), add({.in_port = 2})});
  EXPECT_EQ(take_types(*session), Types{kExperimenter});
  EXPECT_TRUE(datapath_.steps.empty());
}

TEST_F(BundleTest, CommitIsOneStep) {
  auto session = connect();
  give(*session, {control(BundleTable::kOpen), add({.in_port = 1}), add({.in_port = 2}),
                  control(BundleTable::kCommit)});
  EXPECT_EQ(take_types(*session), (Types{kExperimenter, kExperimenter}));
  ASSERT_EQ(datapath_.steps.size(), 1u);
  EXPECT_EQ(datapath_.steps[0].size(), 2u);
}

TEST_F(BundleTest, OneBadMessageUndoesAll) {
  auto session = connect();
  give(*session, {control(BundleTable::kOpen), add({.in_port = 1}),
                  add({.in_port = 2, .table_id = 254}), control(BundleTable::kCommit)});
  EXPECT_EQ(take_types(*session), (Types{kExperimenter, kError, kError}));
  EXPECT_TRUE(datapath_.steps.empty());
  EXPECT_EQ(bridge_.rules().rule_count(), 0u);
}

TEST_F(BundleTest, RefusalAtCommitUndoesAll) {
  auto session = connect();
  give(*session, flow_mod_message({.in_port = 9}));
  datapath_.verdict = failure(Errc::kUnsupported, "no");
  give(*session, {control(BundleTable::kOpen), add({.command = 3, .in_port = 9}), add({}),
                  control(BundleTable::kCommit)});
  EXPECT_EQ(take_types(*session), (Types{kExperimenter, kError, kError}));
  EXPECT_EQ(datapath_.steps.size(), 1u);
  EXPECT_EQ(bridge_.rules().rule_count(), 1u);
}

TEST_F(BundleTest, DiscardedBundleIsGone) {
  auto session = connect();
  give(*session, {control(BundleTable::kOpen), control(BundleTable::kDiscard),
                  control(BundleTable::kCommit)});
  EXPECT_EQ(take_types(*session), (Types{kExperimenter, kExperimenter, kError}));
}

TEST_F(BundleTest, ClosedBundleTakesNoMore) {
  auto session = connect();
  give(*session, {control(BundleTable::kOpen), control(BundleTable::kClose), add({})});
  EXPECT_EQ(take_types(*session), (Types{kExperimenter, kExperimenter, kError}));
}

}  // namespace
}  // namespace hoist::openflow
