// SPDX-License-Identifier: BSD-3-Clause
#include "agent_fixture.hpp"
#include "listed_connections.hpp"

namespace hoist::openflow {
namespace {

class TrackingDatapath final : public FakeDatapath, public TracksConnections {
 public:
  Connections& connections() override { return list; }
  ListedConnections list;
};

class SessionCtFlushTest : public AgentTest {
 protected:
  SessionCtFlushTest() {
    give(session_, MessageBytes(Version::kOf13, kHello, 1).done());
    session_.output().clear();
    tracking_.list.list.push_back({.original = {{10, 0, 0, 1}, {10, 0, 0, 2}, 1000, 53, 17, 4}});
  }
  static MessageBytes nicira(std::uint32_t subtype) {
    return MessageBytes(Version::kOf13, 4, 9).u32(0x2320).u32(subtype);
  }

  TrackingDatapath tracking_;
  Planes tracking_planes_{tracking_, flow_manager_, slab_};
  Bridge tracking_bridge_{
      {.name = "br1", .id = BridgeId{1}, .datapath_id = 0x43}, tracking_planes_, slab_, pool_};
  Session session_{tracking_bridge_, {}};
};

TEST_F(SessionCtFlushTest, OfAZoneFlushesItAStepAtATime) {
  tracking_.list.flush_steps = 3;
  give(session_,
       {nicira(29).u32(0).u16(0).u16(7).done(), MessageBytes(Version::kOf13, kEcho, 1).done()});
  EXPECT_EQ(tracking_.list.flushed_with, ConnectionFilter{.zone = 7});
  EXPECT_EQ(take_types(session_), std::vector<int>{});
  EXPECT_EQ(session_.advance(), Session::Progress::kRunning);
  EXPECT_EQ(session_.advance(), Session::Progress::kDone);
}

TEST_F(SessionCtFlushTest, OfAWholeTupleForgetsThatConnection) {
  MessageBytes m = nicira(32).u64(0x1100000000000000);
  m.u16(0).u16(0x48).u32(0);
  m.u16(0).u16(20).u64(0).u32(0xffff).u32(0x0a000001).u32(0);
  m.u16(1).u16(20).u64(0).u32(0xffff).u32(0x0a000002).u32(0);
  m.u16(2).u16(8).u16(1000).u16(0).u16(3).u16(8).u16(53).u16(0);
  give(session_, m.done());
  EXPECT_EQ(take_types(session_), std::vector<int>{});
  EXPECT_EQ(tracking_.list.flushed_one, tracking_.list.list[0].original);
  EXPECT_EQ(tracking_.list.flushed_with, std::nullopt);
}

TEST_F(SessionCtFlushTest, OfADatapathWithoutConnectionsIsRefused) {
  const auto session = connect();
  give(*session, nicira(32).u64(0).done());
  EXPECT_EQ(take_types(*session), std::vector<int>{kError});
}

TEST_F(SessionCtFlushTest, IsRefusedToASlave) {
  give(session_, {MessageBytes(Version::kOf13, kRoleRequest, 2).u32(3).u32(0).u64(1).done(),
                  nicira(32).u64(0).done()});
  EXPECT_EQ(take_types(session_), (std::vector<int>{kRoleReply, kError}));
  EXPECT_EQ(tracking_.list.flushed_with, std::nullopt);
}

}  // namespace
}  // namespace hoist::openflow
