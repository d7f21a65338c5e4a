// SPDX-License-Identifier: BSD-3-Clause
// What the NIC does not take, and how it says so; and what it answers when things go wrong.
#include <rte_errno.h>
#include <rte_ethdev.h>

#include <bit>

#include "emulated_nic/control.h"
#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::test::ip4;
using hoist::test::Packet;

constexpr std::uint16_t be16(std::uint16_t value) {
  return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

class RefusalTest : public NicBench {
 protected:
  static void expect(const rte_flow_error& error, int code, rte_flow_error_type type,
                     const void* cause) {
    EXPECT_EQ(rte_errno, code) << error.message;
    EXPECT_EQ(error.type, type) << error.message;
    EXPECT_EQ(error.cause, cause) << error.message;
  }
};

TEST_F(RefusalTest, UnknownItem) {
  const Flow flow = Flow::ingress().eth().item(RTE_FLOW_ITEM_TYPE_VXLAN).drop();
  expect(refusal(flow), ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, &flow.item_at(1));
}

TEST_F(RefusalTest, LayerWithoutTheOneBelow) {
  const Flow flow = Flow::ingress().eth().tcp().drop();
  expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, &flow.item_at(1));
}

TEST_F(RefusalTest, TwoLayersOfAKind) {
  const Flow flow = Flow::ingress().eth().ipv4().ipv6().drop();
  expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, &flow.item_at(2));
}

TEST_F(RefusalTest, MaskBeyondTheNic) {
  rte_flow_item_ipv4 mask{};
  mask.hdr.packet_id = 0xffff;
  const Flow flow =
      Flow::ingress().eth().item(RTE_FLOW_ITEM_TYPE_IPV4, rte_flow_item_ipv4{}, mask).drop();
  expect(refusal(flow), ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_MASK, &flow.item_at(1));
}

TEST_F(RefusalTest, Ranges) {
  const rte_flow_item_udp any{};
  const Flow flow = Flow::ingress().eth().ipv4().item(RTE_FLOW_ITEM_TYPE_UDP, any, any, any).drop();
  expect(refusal(flow), ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_LAST, &flow.item_at(2));
}

TEST_F(RefusalTest, NoFateAndTwoFates) {
  expect(refusal(Flow::ingress().eth().count()), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, nullptr);
  const Flow two = Flow::ingress().eth().drop().queue(0);
  expect(refusal(two), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, &two.action_at(1));
}

TEST_F(RefusalTest, QueueThatIsNotThere) {
  const Flow flow = Flow::ingress().eth().queue(7);
  expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, &flow.action_at(0));
}

TEST_F(RefusalTest, QueueInATransferRule) {
  const Flow flow = Flow::transfer().eth().queue(0);
  expect(refusal(flow), ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, &flow.action_at(0));
}

TEST_F(RefusalTest, PortsInAnIngressRule) {
  const Flow item = Flow::ingress().from(0).eth().drop();
  expect(refusal(item), ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, &item.item_at(0));
  const Flow action = Flow::ingress().eth().to(1);
  expect(refusal(action), ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, &action.action_at(0));
}

TEST_F(RefusalTest, JumpsThatLeadNowhere) {
  for (const std::uint32_t group : {0u, 5u, 4u, 65532u}) {
    const Flow flow = Flow::transfer(5).eth().jump(group);
    expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, &flow.action_at(0));
  }
}

TEST_F(RefusalTest, PriorityAndGroupOutOfRange) {
  Flow priority = Flow::transfer(1, 21844).eth().drop();
  expect(refusal(priority), ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, &priority.attr());
  Flow group = Flow::transfer(65532).eth().drop();
  expect(refusal(group), EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, &group.attr());
}

TEST_F(RefusalTest, MarkTooLarge) {
  const Flow flow = Flow::ingress().eth().mark(0xfffff0).queue(0);
  expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, &flow.action_at(0));
}

TEST_F(RefusalTest, RewriteOfAHeaderThatIsNotMatched) {
  const Flow flow = Flow::ingress().eth().action(RTE_FLOW_ACTION_TYPE_DEC_TTL).queue(0);
  expect(refusal(flow), EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, &flow.action_at(0));
  const Flow pop = Flow::transfer().eth().action(RTE_FLOW_ACTION_TYPE_OF_POP_VLAN).to(1);
  expect(refusal(pop), ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, &pop.action_at(0));
}

TEST_F(RefusalTest, BasicNicHasNoSwitchAndOneGroup) {
  use("basic");
  Flow transfer = Flow::transfer().eth().drop();
  expect(refusal(transfer), ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER, &transfer.attr());
  Flow group = Flow::ingress(1).eth().drop();
  expect(refusal(group), EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, &group.attr());
  Flow priority = Flow::ingress(0, 8).eth().drop();
  expect(refusal(priority), ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, &priority.attr());
  install(Flow::ingress(0, 7).eth().count().mark(3).queue(0));
  EXPECT_EQ(pass(0, Packet().eth().arp().bytes()).at(0).mark, 3u);
}

TEST_F(RefusalTest, BasicNicRefusesTheSameRuleTwice) {
  use("basic");
  install(Flow::ingress().eth().ipv4().drop());
  rte_flow_error error{};
  EXPECT_EQ(Flow::ingress().eth().ipv4().queue(0).create(0, error), nullptr);
  EXPECT_EQ(rte_errno, EEXIST);
}

TEST_F(RefusalTest, BasicNicTakesLayersAsThePatternHasThem) {
  use("basic");
  install(Flow::ingress().eth().ipv4().mark(1).queue(0));
  EXPECT_EQ(pass(0, Packet().eth().ipv4().udp().bytes()).at(0).mark, 1u);
  EXPECT_FALSE(pass(0, Packet().eth().vlan().ipv4().udp().bytes()).at(0).mark);
}

TEST_F(RefusalTest, TinyNicIsFullAfter64Rules) {
  use("tiny");
  std::vector<rte_flow*> flows;
  for (std::uint32_t i = 0; i < 64; ++i) {
    flows.push_back(install(Flow::transfer(1, i).eth().ipv4().drop()));
  }
  rte_flow_error error{};
  const Flow one_more = Flow::transfer(1, 64).eth().ipv4().drop();
  EXPECT_EQ(one_more.create(0, error), nullptr);
  EXPECT_EQ(rte_errno, ENOSPC);
  EXPECT_EQ(error.type, RTE_FLOW_ERROR_TYPE_UNSPECIFIED);
  EXPECT_EQ(one_more.validate(0, error), 0);  // Nothing is wrong with the rule.
  EXPECT_EQ(rte_flow_destroy(0, flows[5], &error), 0);
  install(one_more);
  EXPECT_EQ(book("out_of_room"), 1u);
}

TEST_F(RefusalTest, StoppedPortTakesNoRules) {
  stop(0);
  rte_flow_error error{};
  EXPECT_EQ(Flow::ingress().eth().drop().create(0, error), nullptr);
  EXPECT_EQ(rte_errno, ENODEV);
}

TEST_F(RefusalTest, ScriptedFailures) {
  emulated_nic_fail_creates(2, 1, EIO);
  install(Flow::ingress().eth().ipv4().drop());
  rte_flow_error error{};
  EXPECT_EQ(Flow::ingress().eth().ipv6().drop().create(0, error), nullptr);
  EXPECT_EQ(rte_errno, EIO);
  install(Flow::ingress().eth().ipv6().drop());
  EXPECT_EQ(book("injected"), 1u);
}

TEST_F(RefusalTest, ScriptInTheProfile) {
  use("name = \"script\"\n"
      "[steering]\ngroup_max = 1\n"
      "[items]\neth = \"*\"\n"
      "[actions]\ningress = [\"drop\"]\n"
      "[[faults.create]]\nnth = 1\ncount = 2\nerrno = \"ENOMEM\"\n");
  rte_flow_error error{};
  for (const bool is_taken : {false, false, true}) {
    EXPECT_EQ(Flow::ingress().eth().drop().create(0, error) != nullptr, is_taken);
  }
}

TEST_F(RefusalTest, ProfilesWithMistakesAreRefused) {
  for (std::uint16_t port = 0; port < kPorts; ++port) stop(port);
  for (const char* text :
       {"name = 3\n", "[steering]\ngruop_max = 1\n", "[items]\nipv5 = \"*\"\n",
        "[items]\nipv4 = [\"nonsense\"]\n", "[actions]\ningress = [\"fly\"]\n", "name = \n"}) {
    EXPECT_EQ(emulated_nic_set_profile(text), -1) << text;
  }
}

TEST_F(RefusalTest, PulledCableLosesPackets) {
  emulated_nic_set_link(0, 0);
  rte_eth_link link{};
  EXPECT_EQ(rte_eth_link_get_nowait(0, &link), 0);
  EXPECT_EQ(link.link_status, RTE_ETH_LINK_DOWN);
  EXPECT_EQ(pass(0, Packet().eth().arp().bytes()).size(), 0u);
  emulated_nic_set_link(0, 1);
  EXPECT_EQ(pass(0, Packet().eth().arp().bytes()).size(), 1u);
}

TEST_F(RefusalTest, IsolatedPortDropsWhatNoRuleTakes) {
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_isolate(0, 1, &error), -EBUSY);
  stop(0);
  EXPECT_EQ(rte_flow_isolate(0, 1, &error), 0);
  start(0);
  install(Flow::ingress().eth().ipv4().queue(0));
  EXPECT_EQ(pass(0, Packet().eth().ipv4().udp().bytes()).size(), 1u);
  EXPECT_EQ(pass(0, Packet().eth().arp().bytes()).size(), 0u);
}

TEST_F(RefusalTest, QueryNeedsACounter) {
  rte_flow* flow = install(Flow::ingress().eth().drop());
  const rte_flow_action count[] = {{.type = RTE_FLOW_ACTION_TYPE_COUNT},
                                   {.type = RTE_FLOW_ACTION_TYPE_END}};
  rte_flow_query_count result{};
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_query(0, flow, count, &result, &error), -ENOTSUP);
  EXPECT_EQ(error.cause, &count[0]);
}

TEST_F(RefusalTest, IndirectCounterIsSharedAndCannotGoWhileInUse) {
  const rte_flow_indir_action_conf conf{.transfer = 1};
  const rte_flow_action count{.type = RTE_FLOW_ACTION_TYPE_COUNT};
  rte_flow_error error{};
  rte_flow_action_handle* handle = rte_flow_action_handle_create(0, &conf, &count, &error);
  ASSERT_NE(handle, nullptr) << error.message;
  rte_flow* first =
      install(Flow::transfer().from(0).eth().action(RTE_FLOW_ACTION_TYPE_INDIRECT, handle).to(2));
  rte_flow* second =
      install(Flow::transfer().from(1).eth().action(RTE_FLOW_ACTION_TYPE_INDIRECT, handle).to(2));
  pass(0, Packet().eth().arp().bytes());
  pass(1, Packet().eth().arp().bytes());
  rte_flow_query_count result{};
  EXPECT_EQ(rte_flow_action_handle_query(0, handle, &result, &error), 0);
  EXPECT_EQ(result.hits, 2u);
  EXPECT_EQ(rte_flow_action_handle_destroy(0, handle, &error), -EBUSY);
  EXPECT_EQ(rte_flow_destroy(0, first, &error), 0);
  EXPECT_EQ(rte_flow_destroy(0, second, &error), 0);
  EXPECT_EQ(rte_flow_action_handle_destroy(0, handle, &error), 0);
  EXPECT_EQ(rte_flow_action_handle_destroy(0, handle, &error), -EINVAL);
  EXPECT_EQ(book("stale_touches"), 1u);
}

TEST_F(RefusalTest, PortsShareASwitchDomain) {
  rte_eth_dev_info first{};
  rte_eth_dev_info second{};
  ASSERT_EQ(rte_eth_dev_info_get(0, &first), 0);
  ASSERT_EQ(rte_eth_dev_info_get(1, &second), 0);
  EXPECT_NE(first.switch_info.domain_id, RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID);
  EXPECT_EQ(first.switch_info.domain_id, second.switch_info.domain_id);
  std::uint16_t proxy = 99;
  EXPECT_EQ(rte_flow_pick_transfer_proxy(1, &proxy, nullptr), 0);
  EXPECT_EQ(proxy, 0u);
}

}  // namespace
}  // namespace emulated_nic::test
