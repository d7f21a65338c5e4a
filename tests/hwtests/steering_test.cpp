// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: domains, groups, jumps, priorities, fates.
#include <bit>
#include <thread>

#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::test::ip4;
using hoist::test::Packet;

class SteeringTest : public NicBench {
 protected:
  static Bytes udp_to(const char* address) {
    return Packet().eth().ipv4({.dst = ip4(address)}).udp().payload(20).bytes();
  }
  static Flow ipv4_to(Flow flow, const char* address) {
    rte_flow_item_ipv4 spec{};
    rte_flow_item_ipv4 mask{};
    spec.hdr.dst_addr = std::bit_cast<std::uint32_t>(ip4(address));
    mask.hdr.dst_addr = UINT32_MAX;
    flow.eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec, mask);
    return flow;
  }
};

TEST_F(SteeringTest, PacketsMeetNoRulesAtFirst) {
  const Bytes frame = udp_to("10.0.0.2");
  const auto packets = pass(0, frame);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].bytes, frame);
  EXPECT_FALSE(packets[0].mark);
}

TEST_F(SteeringTest, DropAndCount) {
  rte_flow* flow = install(ipv4_to(Flow::ingress(), "10.0.0.2").count().drop());
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(pass(0, udp_to("10.0.0.3")).size(), 1u);
  EXPECT_EQ(pass(1, udp_to("10.0.0.2")).size(), 1u);  // An ingress rule is one port's.
  EXPECT_EQ(hits(flow).hits, 1u);
  EXPECT_EQ(hits(flow, 0, true).bytes, udp_to("10.0.0.2").size());
  EXPECT_EQ(hits(flow).hits, 0u);
}

TEST_F(SteeringTest, TransferRuleSendsOutOfAnotherPort) {
  const Bytes frame = udp_to("10.0.0.2");
  install(Flow::transfer().from(0).eth().count().to(1));
  EXPECT_EQ(pass(0, frame).size(), 0u);
  EXPECT_EQ(sent(1), std::vector<Bytes>{frame});
  EXPECT_EQ(pass(1, frame).size(), 1u);
  EXPECT_EQ(book("forwarded"), 1u);
}

TEST_F(SteeringTest, TransferRuleWithoutPortItemIsOfThePortItWasCreatedOn) {
  install(Flow::transfer().eth().to(2), 1);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 1u);
  EXPECT_EQ(pass(1, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(sent(2).size(), 1u);
}

TEST_F(SteeringTest, EmptyPortItemMeansEveryPort) {
  install(Flow::transfer().item(RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT).eth().to(2), 0);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(pass(1, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(sent(2).size(), 2u);
}

TEST_F(SteeringTest, JumpsLeadThroughGroups) {
  install(Flow::transfer().from(0).eth().jump(1));
  install(ipv4_to(Flow::transfer(1).from(0), "10.0.0.2").jump(7));
  install(ipv4_to(Flow::transfer(7).from(0), "10.0.0.2").to(1));
  pass(0, udp_to("10.0.0.2"));
  EXPECT_EQ(sent(1).size(), 1u);
  EXPECT_EQ(pass(0, udp_to("10.0.0.3")).size(), 1u);  // A miss in group 1 goes to software.
}

TEST_F(SteeringTest, MarkCrossesIntoSoftwareThroughAGroupThatMisses) {
  install(Flow::transfer().from(0).eth().mark(77).jump(900));
  const auto packets = pass(0, udp_to("10.0.0.2"));
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].mark, 77u);
  EXPECT_TRUE(packets[0].is_flagged);
}

TEST_F(SteeringTest, IngressMarkComesWithTheQueueButNotWithAMiss) {
  install(ipv4_to(Flow::ingress(), "10.0.0.2").mark(5).queue(0));
  install(ipv4_to(Flow::ingress(), "10.0.0.3").mark(6).jump(3));
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).at(0).mark, 5u);
  EXPECT_FALSE(pass(0, udp_to("10.0.0.3")).at(0).mark);
}

TEST_F(SteeringTest, LowerPriorityNumberWinsWhateverTheMask) {
  install(Flow::ingress(1, 3).eth().mark(3).queue(0));
  install(ipv4_to(Flow::ingress(1, 1), "10.0.0.2").mark(1).queue(0));
  install(Flow::ingress(1, 2).eth().ipv4().mark(2).queue(0));
  install(Flow::ingress().eth().jump(1));
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).at(0).mark, 1u);
  EXPECT_EQ(pass(0, udp_to("10.0.0.3")).at(0).mark, 2u);
  EXPECT_EQ(pass(0, Packet().eth().arp().bytes()).at(0).mark, 3u);
}

TEST_F(SteeringTest, OldestOfEqualRulesWinsUntilItGoes) {
  rte_flow* first = install(ipv4_to(Flow::ingress(), "10.0.0.2").mark(1).queue(0));
  install(ipv4_to(Flow::ingress(), "10.0.0.2").mark(2).queue(0));
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).at(0).mark, 1u);
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_destroy(0, first, &error), 0);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).at(0).mark, 2u);
}

TEST_F(SteeringTest, QueueActionMovesPacketsBetweenQueues) {
  install(ipv4_to(Flow::ingress(), "10.0.0.2").queue(1));
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(receive(0, 1).size(), 1u);
}

TEST_F(SteeringTest, FlushTakesThePortsRulesOnly) {
  install(Flow::transfer().from(0).eth().to(1), 0);
  install(Flow::transfer().from(1).eth().to(0), 1);
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_flush(0, &error), 0);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 1u);
  EXPECT_EQ(pass(1, udp_to("10.0.0.2")).size(), 0u);
}

TEST_F(SteeringTest, StoppedPortLosesItsRulesAndTheirHandles) {
  rte_flow* flow = install(Flow::transfer().from(0).eth().to(1), 0);
  stop(0);
  start(0);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 1u);
  EXPECT_EQ(book("lost_rules"), 1u);
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_destroy(0, flow, &error), -EINVAL);
  EXPECT_EQ(error.type, RTE_FLOW_ERROR_TYPE_HANDLE);
  EXPECT_EQ(book("stale_touches"), 1u);
}

TEST_F(SteeringTest, RulesToAStoppedPortLosePackets) {
  install(Flow::transfer().from(0).eth().to(1), 0);
  stop(1);
  EXPECT_EQ(pass(0, udp_to("10.0.0.2")).size(), 0u);
  EXPECT_EQ(book("lost_transmit"), 1u);
}

TEST_F(SteeringTest, ApplicationAndNicShareATransmitQueue) {
  install(Flow::transfer().from(0).eth().to(1));
  transmit(1, udp_to("10.0.0.9"));
  pass(0, udp_to("10.0.0.2"));
  EXPECT_EQ(sent(1), (std::vector<Bytes>{udp_to("10.0.0.9"), udp_to("10.0.0.2")}));
}

TEST_F(SteeringTest, NoPacketIsLostWhileRulesChange) {
  constexpr int kFrames = 3000;
  const Bytes frame = udp_to("10.0.0.2");
  std::size_t to_software = 0;
  std::size_t carried = 0;
  std::thread worker([&] {
    for (int i = 0; i < kFrames; ++i) {
      to_software += pass(0, frame).size();
      carried += sent(1).size();
    }
  });
  for (int i = 0; i < 300; ++i) {
    rte_flow* flow = install(Flow::transfer().from(0).eth().count().to(1));
    rte_flow* other = install(ipv4_to(Flow::transfer(5).from(0), "10.0.0.2").to(1));
    rte_flow_error error{};
    EXPECT_EQ(rte_flow_destroy(0, flow, &error), 0);
    EXPECT_EQ(rte_flow_destroy(0, other, &error), 0);
  }
  worker.join();
  EXPECT_EQ(to_software + carried, static_cast<std::size_t>(kFrames));
}

}  // namespace
}  // namespace emulated_nic::test
