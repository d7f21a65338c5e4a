// SPDX-License-Identifier: BSD-3-Clause
#include "agent_fixture.hpp"

namespace hoist::openflow {
namespace {

using testing::Test;
using Types = std::vector<int>;

class SessionTest : public AgentTest {};

Bytes message(std::uint8_t type, std::uint32_t xid = 1) {
  return MessageBytes(Version::kOf13, type, xid).done();
}
Bytes set_config(std::uint16_t miss_send_len) {
  return MessageBytes(Version::kOf13, kSetConfig, 1).u16(0).u16(miss_send_len).done();
}

TEST_F(SessionTest, GreetsFirst) {
  Session session(bridge_, {});
  EXPECT_EQ(take_types(session), Types{kHello});
}

TEST_F(SessionTest, PeerWithoutACommonVersionIsTurnedAway) {
  Session session(bridge_, {.versions = 1u << 4});
  take_types(session);
  give(session, MessageBytes(Version::kOf10, kHello, 1).done());
  EXPECT_EQ(take_types(session), Types{kError});
  EXPECT_FALSE(session.close_reason().empty());
}

TEST_F(SessionTest, MessageBeforeHelloEndsTheConnection) {
  Session session(bridge_, {});
  give(session, message(kEcho));
  EXPECT_FALSE(session.close_reason().empty());
}

TEST_F(SessionTest, BrokenLengthEndsTheConnection) {
  auto session = connect();
  give(*session, Bytes{4, 2, 0, 3, 0, 0, 0, 0});
  EXPECT_FALSE(session->close_reason().empty());
}

TEST_F(SessionTest, HalfAMessageWaitsForItsRest) {
  auto session = connect();
  Bytes bytes = flow_mod_message({});
  bytes.resize(40);
  EXPECT_EQ(give(*session, bytes), 0u);
  EXPECT_TRUE(datapath_.steps.empty());
}

TEST_F(SessionTest, FlowModsOfOneReadAreOneStep) {
  auto session = connect();
  give(*session, {flow_mod_message({.in_port = 1}), flow_mod_message({.in_port = 2})});
  ASSERT_EQ(datapath_.steps.size(), 1u);
  EXPECT_EQ(datapath_.steps[0].size(), 2u);
  EXPECT_EQ(flow_manager_.change_count, 2u);
}

TEST_F(SessionTest, BarrierWaitsForBothPlanesAndHoldsBackTheRest) {
  auto session = connect();
  const std::vector<Bytes> messages = {flow_mod_message({}), message(kBarrier), message(kEcho)};
  const std::size_t taken = give(*session, messages);
  EXPECT_EQ(taken, messages[0].size() + messages[1].size());
  datapath_.settle();
  EXPECT_EQ(session->advance(), Session::Progress::kBlocked);
  EXPECT_EQ(take_types(*session), Types{});
  flow_manager_.settle();
  EXPECT_EQ(session->advance(), Session::Progress::kDone);
  EXPECT_EQ(take_types(*session), Types{kBarrierReply});
}

TEST_F(SessionTest, RefusedFlowModIsAnsweredAndTheOthersStay) {
  auto session = connect();
  give(*session,
       {flow_mod_message({.in_port = 1}), flow_mod_message({.in_port = 2, .table_id = 254}),
        flow_mod_message({.in_port = 3})});
  EXPECT_EQ(take_types(*session), Types{kError});
  EXPECT_EQ(datapath_.rules.size(), 2u);
}

TEST_F(SessionTest, StatisticsComeAfterHardwareHasBeenAsked) {
  auto session = connect();
  give(*session, flow_mod_message({}));
  settle();
  MessageBytes request(Version::kOf13, kMultipart, 3);
  request.u16(1).u16(0).u32(0).u8(0xff).u8(0).u16(0).u32(0xffffffff).u32(0xffffffff).u32(0);
  request.u64(0).u64(0).u16(1).u16(4).u32(0);
  give(*session, request.done());
  EXPECT_TRUE(session->is_waiting());
  flow_manager_.hits = {{datapath_.rules.begin()->first, {3, 180}, datapath_.now}};
  settle();
  EXPECT_EQ(session->advance(), Session::Progress::kDone);
  EXPECT_EQ(take_types(*session), Types{kMultipartReply});
  EXPECT_EQ(bridge_.rules().rule(datapath_.rules.begin()->first).count.packets, 3u);
}

TEST_F(SessionTest, AcceptedConnectionGetsPacketInsOnlyOnceItAsks) {
  auto session = connect();
  bridge_.packet_in({.reason = 1, .frame = Bytes(64)});
  EXPECT_EQ(take_types(*session), Types{});
  give(*session, set_config(65535));
  bridge_.packet_in({.reason = 1, .frame = Bytes(64)});
  EXPECT_EQ(take_types(*session), Types{kPacketIn});
  bridge_.packet_in({.reason = 2, .frame = Bytes(64)});
  EXPECT_EQ(take_types(*session), Types{});
}

TEST_F(SessionTest, PacketInGoesToTheControllerIdOfItsAction) {
  auto session = connect(false);
  bridge_.packet_in({.reason = 1, .controller_id = 5, .frame = Bytes(64)});
  EXPECT_EQ(take_types(*session), Types{});
}

TEST_F(SessionTest, FullOutputDropsPacketInsAndCountsThem) {
  auto session = connect(false);
  session->set_unsent_size(Session::kOutputMax + 1);
  bridge_.packet_in({.reason = 1, .frame = Bytes(64)});
  EXPECT_EQ(take_types(*session), Types{});
  EXPECT_EQ(session->dropped_count(), 1u);
}

TEST_F(SessionTest, FlowRemovedHasFinalCountsAndFreesTheId) {
  planes_.on_gone([this](const Rule& rule) { bridge_.flow_removed(rule); });
  auto session = connect(false);
  give(*session, flow_mod_message({.flags = FlowMod::kSendFlowRem}));
  const RuleId id = datapath_.rules.begin()->first;
  give(*session, delete_all_message());
  planes_.poll();
  EXPECT_EQ(take_types(*session), Types{});
  datapath_.hits = {{id, {9, 900}, datapath_.now}};
  settle();
  planes_.poll();
  EXPECT_EQ(take_types(*session), Types{kFlowRemovedType});
  EXPECT_EQ(slab_.free_count(), slab_.max_rules());
}

TEST_F(SessionTest, IdleRuleGoesOnlyAfterBothPlanesHaveBeenAsked) {
  FlowMod mod;
  mod.idle_timeout = 1;
  ASSERT_TRUE(bridge_.rules().apply(std::move(mod), datapath_.now, {}));
  bridge_.flush();
  datapath_.now += 2000;
  bridge_.expire();
  EXPECT_EQ(datapath_.rules.size(), 1u);
  flow_manager_.hits = {{datapath_.rules.begin()->first, {1, 60}, datapath_.now - 500}};
  settle();
  bridge_.expire();
  EXPECT_EQ(datapath_.rules.size(), 1u);
  datapath_.now += 600;
  bridge_.expire();
  settle();
  bridge_.expire();
  EXPECT_TRUE(datapath_.rules.empty());
}

Bytes role_request(std::uint32_t role, std::uint64_t generation) {
  return MessageBytes(Version::kOf13, kRoleRequest, 1).u32(role).u32(0).u64(generation).done();
}

/// A controller that has shaken hands in OpenFlow 1.0.
std::unique_ptr<Session> connect_of10(Bridge& bridge) {
  auto session = std::make_unique<Session>(bridge, Session::Options{.is_service = false});
  session->receive(MessageBytes(Version::kOf10, kHello, 1).done());
  session->output().clear();
  return session;
}

TEST_F(SessionTest, TableMissGoesToControllersOfOpenFlow10AndNoOthers) {
  const auto later = connect(false);
  EXPECT_TRUE(datapath_.rules.empty());
  auto old = connect_of10(bridge_);
  ASSERT_EQ(datapath_.rules.size(), 1u);
  const RuleSpec& miss = *datapath_.rules.begin()->second;
  EXPECT_EQ(miss.priority, 0);
  EXPECT_EQ(miss.match.map(), 0u);
  bridge_.packet_in({.bridge = BridgeId{0}, .reason = 0, .rule = miss.id, .frame = Bytes(60)});
  EXPECT_EQ(take_types(*old), (std::vector<int>{kPacketIn}));
  EXPECT_TRUE(take_types(*later).empty());
  EXPECT_EQ(bridge_.rules().rule_count(), 0u);
  old.reset();
  EXPECT_TRUE(datapath_.rules.empty());
}

TEST_F(SessionTest, TableMissRuleOfAControllerReplacesTheImplicitOneInOneStep) {
  const auto old = connect_of10(bridge_);
  const auto other = connect();
  MessageBytes add(Version::kOf13, kFlowMod, 5);
  add.u64(0).u64(0).u8(0).u8(0).u16(0).u16(0).u16(0);
  add.u32(0xffffffff).u32(0xffffffff).u32(0xffffffff).u16(0).u16(0).u16(1).u16(4).u32(0);
  give(*other, add.done());
  EXPECT_EQ(datapath_.steps.back().size(), 2u);
  ASSERT_EQ(datapath_.rules.size(), 1u);
  EXPECT_EQ(datapath_.rules.begin()->second->cookie, 0u);
  give(*other, delete_all_message());
  ASSERT_EQ(datapath_.rules.size(), 1u);
  EXPECT_EQ(datapath_.rules.begin()->second->cookie, ImplicitMiss::kCookie);
}

TEST_F(SessionTest, WhoDoesNotReadItsFlowUpdatesIsLetGo) {
  const auto watcher = connect();
  const auto writer = connect();
  MessageBytes request(Version::kOf13, kMultipart, 9);
  request.u16(0xffff).u16(0).u32(0);     // OFPMP_EXPERIMENTER
  request.u32(0x2320).u32(2);            // NXST_FLOW_MONITOR
  request.u32(1).u16(0x3e).u16(0xffff);  // Id; add, delete, modify, actions, own; any port
  request.u16(0).u8(0xff).u8(0).u32(0);  // No match, all tables
  give(*watcher, request.done());
  ASSERT_TRUE(watcher->has_monitors());
  watcher->output().clear();
  watcher->set_unsent_size(Session::kFlowUpdatesMax + 1);
  give(*writer, flow_mod_message({}));
  EXPECT_TRUE(watcher->is_given_up());
  EXPECT_TRUE(watcher->output().empty());
  EXPECT_FALSE(writer->is_given_up());
}

TEST_F(SessionTest, NewMasterMakesTheOldOneASlave) {
  auto first = connect();
  auto second = connect();
  give(*first, role_request(2, 1));
  give(*second, role_request(2, 2));
  take_types(*first);
  give(*first, flow_mod_message({}));
  EXPECT_EQ(take_types(*first), Types{kError});
  EXPECT_TRUE(datapath_.rules.empty());
}

TEST_F(SessionTest, StaleElectionIsRefused) {
  auto session = connect();
  give(*session, role_request(2, 5));
  give(*session, role_request(3, 4));
  EXPECT_EQ(take_types(*session), (Types{kRoleReply, kError}));
}

TEST_F(SessionTest, LongDumpComesInSlices) {
  auto session = connect();
  for (std::uint32_t i = 1; i <= 900; ++i) give(*session, flow_mod_message({.in_port = i}));
  settle();
  MessageBytes request(Version::kOf13, kMultipart, 3);
  request.u16(1).u16(0).u32(0).u8(0xff).u8(0).u16(0).u32(0xffffffff).u32(0xffffffff).u32(0);
  request.u64(0).u64(0).u16(1).u16(4).u32(0);
  flow_manager_.settled = 1'000'000;
  give(*session, request.done());
  EXPECT_EQ(session->advance(), Session::Progress::kDone);
  EXPECT_EQ(take_types(*session).size(), 2u);
}

}  // namespace
}  // namespace hoist::openflow
