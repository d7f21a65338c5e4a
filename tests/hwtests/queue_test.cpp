// SPDX-License-Identifier: BSD-3-Clause
// The queue API: templates, operations and their completions.
#include <rte_errno.h>

#include <bit>

#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::test::ip4;
using hoist::test::Packet;

class QueueTest : public NicBench {
 protected:
  static constexpr std::uint32_t kQueue = 0;

  void SetUp() override { use("ideal"); }

  void configure(std::uint32_t queue_size = 16) {
    stop(0);
    const rte_flow_port_attr port_attr{};
    const rte_flow_queue_attr queue_attr{.size = queue_size};
    const rte_flow_queue_attr* queues[] = {&queue_attr};
    rte_flow_error error{};
    ASSERT_EQ(rte_flow_configure(0, &port_attr, 1, queues, &error), 0) << error.message;
    start(0);
  }

  /// A table of transfer rules "IPv4 destination -> mark, to software by a jump".
  void make_table(std::uint32_t rules) {
    rte_flow_error error{};
    rte_flow_item_ipv4 mask{};
    mask.hdr.dst_addr = UINT32_MAX;
    const Flow shape = Flow::transfer().from(0).eth().item(RTE_FLOW_ITEM_TYPE_IPV4, mask, mask);
    const rte_flow_pattern_template_attr pattern_attr{.transfer = 1};
    // The port item's mask is null in the builder: the template gives the full one.
    const rte_flow_item_ethdev port_mask{.port_id = 0xffff};
    std::vector<rte_flow_item> items(shape.items(), shape.items() + 4);
    items[0].mask = &port_mask;
    pattern_ = rte_flow_pattern_template_create(0, &pattern_attr, items.data(), &error);
    ASSERT_NE(pattern_, nullptr) << error.message;

    const Flow acts = Flow::transfer().mark(1).jump(9);
    const rte_flow_action masks[] = {
        {.type = RTE_FLOW_ACTION_TYPE_MARK},
        {.type = RTE_FLOW_ACTION_TYPE_JUMP, .conf = acts.action_at(1).conf},
        {.type = RTE_FLOW_ACTION_TYPE_END}};
    const rte_flow_actions_template_attr actions_attr{.transfer = 1};
    actions_ = rte_flow_actions_template_create(0, &actions_attr, acts.actions(), masks, &error);
    ASSERT_NE(actions_, nullptr) << error.message;

    const rte_flow_template_table_attr attr{.flow_attr = {.transfer = 1}, .nb_flows = rules};
    table_ = rte_flow_template_table_create(0, &attr, &pattern_, 1, &actions_, 1, &error);
    ASSERT_NE(table_, nullptr) << error.message;
  }

  rte_flow* add(const char* address, std::uint32_t mark, bool is_postponed = false) {
    rte_flow_item_ipv4 spec{};
    spec.hdr.dst_addr = std::bit_cast<std::uint32_t>(ip4(address));
    const Flow flow =
        Flow::transfer().from(0).eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec).mark(mark).jump(77);
    const rte_flow_op_attr attr{.postpone = is_postponed ? 1u : 0u};
    rte_flow_error error{};
    return rte_flow_async_create(0, kQueue, &attr, table_, flow.items(), 0, flow.actions(), 0,
                                 nullptr, &error);
  }
  int remove(rte_flow* flow) {
    rte_flow_error error{};
    return rte_flow_async_destroy(0, kQueue, nullptr, flow, nullptr, &error);
  }
  /// Statuses of what is complete.
  std::vector<rte_flow_op_status> pull() {
    rte_flow_op_result results[8];
    rte_flow_error error{};
    const int count = rte_flow_pull(0, kQueue, results, 8, &error);
    std::vector<rte_flow_op_status> statuses;
    for (int i = 0; i < count; ++i) statuses.push_back(results[i].status);
    return statuses;
  }
  std::optional<std::uint32_t> mark_of(const char* address) {
    return pass(0, Packet().eth().ipv4({.dst = ip4(address)}).udp().bytes()).at(0).mark;
  }

  rte_flow_pattern_template* pattern_ = nullptr;
  rte_flow_actions_template* actions_ = nullptr;
  rte_flow_template_table* table_ = nullptr;
  using Statuses = std::vector<rte_flow_op_status>;
};

TEST_F(QueueTest, RuleTakesItsMaskAndItsFixedActionsFromTheTemplates) {
  configure();
  make_table(8);
  ASSERT_NE(add("10.0.0.2", 5), nullptr);
  EXPECT_EQ(pull(), Statuses{RTE_FLOW_OP_SUCCESS});
  EXPECT_EQ(mark_of("10.0.0.2"), 5u);
  EXPECT_FALSE(mark_of("10.0.0.3"));
}

TEST_F(QueueTest, PostponedRuleWaitsForThePush) {
  configure();
  make_table(8);
  ASSERT_NE(add("10.0.0.2", 5, true), nullptr);
  EXPECT_TRUE(pull().empty());
  EXPECT_FALSE(mark_of("10.0.0.2"));
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_push(0, kQueue, &error), 0);
  EXPECT_EQ(mark_of("10.0.0.2"), 5u);
  EXPECT_EQ(pull().size(), 1u);
}

TEST_F(QueueTest, DelayedRuleIsNotInForceBeforeItsCompletion) {
  use("name = \"late\"\nqueue_api = true\n"
      "[steering]\ntransfer = true\ngroup_max = 99\nmark_crosses_domains = true\nmark_max = 99\n"
      "[items]\neth = \"*\"\nipv4 = \"*\"\nrepresented_port = \"*\"\n"
      "[actions]\ntransfer = [\"mark\", \"jump\"]\n[faults]\ncompletion_delay = 2\n");
  configure();
  make_table(8);
  ASSERT_NE(add("10.0.0.2", 5), nullptr);
  EXPECT_TRUE(pull().empty());
  EXPECT_TRUE(pull().empty());
  EXPECT_FALSE(mark_of("10.0.0.2"));
  EXPECT_EQ(pull(), Statuses{RTE_FLOW_OP_SUCCESS});
  EXPECT_EQ(mark_of("10.0.0.2"), 5u);
}

TEST_F(QueueTest, TableHoldsWhatItWasMadeFor) {
  configure();
  make_table(1);
  rte_flow* flow = add("10.0.0.2", 5);
  ASSERT_NE(flow, nullptr);
  EXPECT_EQ(add("10.0.0.3", 6), nullptr);
  EXPECT_EQ(rte_errno, ENOMEM);
  EXPECT_EQ(remove(flow), 0);
  EXPECT_NE(add("10.0.0.3", 6), nullptr);
}

TEST_F(QueueTest, QueueHoldsWhatItWasMadeForUntilPulled) {
  configure(2);
  make_table(8);
  EXPECT_NE(add("10.0.0.1", 1), nullptr);
  EXPECT_NE(add("10.0.0.2", 2), nullptr);
  EXPECT_EQ(add("10.0.0.3", 3), nullptr);
  EXPECT_EQ(rte_errno, EAGAIN);
  EXPECT_EQ(pull().size(), 2u);
  EXPECT_NE(add("10.0.0.3", 3), nullptr);
}

TEST_F(QueueTest, FullNicFailsTheCompletionAndTheHandleStaysToBeDestroyed) {
  use("name = \"small\"\nqueue_api = true\n"
      "[steering]\ntransfer = true\ngroup_max = 99\nmark_crosses_domains = true\nmark_max = 99\n"
      "[items]\neth = \"*\"\nipv4 = \"*\"\nrepresented_port = \"*\"\n"
      "[actions]\ntransfer = [\"mark\", \"jump\"]\n[room]\ntotal = 1\n");
  configure();
  make_table(8);
  EXPECT_NE(add("10.0.0.1", 1), nullptr);
  rte_flow* second = add("10.0.0.2", 2);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(pull(), (Statuses{RTE_FLOW_OP_SUCCESS, RTE_FLOW_OP_ERROR}));
  EXPECT_FALSE(mark_of("10.0.0.2"));
  EXPECT_EQ(remove(second), 0);
  EXPECT_EQ(book("stale_touches"), 0u);
}

TEST_F(QueueTest, WhatIsInUseCannotGo) {
  configure();
  make_table(8);
  rte_flow* flow = add("10.0.0.2", 5);
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_template_table_destroy(0, table_, &error), -EBUSY);
  EXPECT_EQ(rte_flow_pattern_template_destroy(0, pattern_, &error), -EBUSY);
  EXPECT_EQ(rte_flow_actions_template_destroy(0, actions_, &error), -EBUSY);
  EXPECT_EQ(remove(flow), 0);
  EXPECT_EQ(rte_flow_template_table_destroy(0, table_, &error), 0);
  EXPECT_EQ(rte_flow_pattern_template_destroy(0, pattern_, &error), 0);
  EXPECT_EQ(rte_flow_actions_template_destroy(0, actions_, &error), 0);
}

TEST_F(QueueTest, ConnectXInItsSynchronousModeHasNoQueues) {
  use("connectx");
  rte_flow_port_info port{};
  rte_flow_queue_info queue{};
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_info_get(0, &port, &queue, &error), -ENOTSUP);
}

}  // namespace
}  // namespace emulated_nic::test
