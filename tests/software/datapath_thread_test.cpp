// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/eal.hpp"
#include "hoist/field.hpp"
#include "support/packet_builder.hpp"

namespace hoist::test {
namespace {

/// A switch whose one worker is a thread of its own, on two null ports: each receives frames of
/// zeros without end and swallows what it is given.
class DatapathThreadTest : public ::testing::Test {
 protected:
  DatapathThreadTest() {
    static const auto eal =
        start_eal({.args = {"--no-huge", "--in-memory", "--no-pci", "-m", "256", "--no-telemetry"},
                   .worker_cores = {std::min(1u, std::thread::hardware_concurrency() - 1)},
                   .control_cores = {0}});
    EXPECT_TRUE(eal) << eal.error().message;
    auto created = Datapath::create({.worker_lcores = (*eal)->worker_lcores(),
                                     .flow_cache_entries = 256,
                                     .mbuf_count = 4096,
                                     .max_rules = 100000});
    EXPECT_TRUE(created) << created.error().message;
    datapath_ = std::move(*created);
    bridge_ = *datapath_->add_bridge("br0");
    for (std::uint32_t n = 1; n <= 2; ++n) add_port(n);
    datapath_->start();
  }

  void add_port(std::uint32_t n) {
    std::string devargs("net_null");
    devargs.append(std::to_string(n));
    const auto added =
        datapath_->add_port(bridge_, {.name = devargs, .number = PortNo{n}, .devargs = devargs});
    EXPECT_TRUE(added) << added.error().message;
  }

  std::shared_ptr<const RuleSpec> make_rule(std::uint8_t table_id, std::uint16_t priority,
                                            Instructions instructions, const Match& match = {}) {
    auto spec = std::make_shared<RuleSpec>();
    spec->id = RuleId{++last_rule_};
    spec->table_id = table_id;
    spec->priority = priority;
    spec->match = MiniMatch(match);
    spec->instructions = std::make_shared<const Instructions>(std::move(instructions));
    return spec;
  }
  Datapath::Version add(const std::shared_ptr<const RuleSpec>& rule) {
    const RuleChange change{RuleChange::Kind::kAdd, rule};
    return datapath_->apply(bridge_, std::span(&change, 1));
  }
  Datapath::Version remove(const std::shared_ptr<const RuleSpec>& rule) {
    const RuleChange change{RuleChange::Kind::kRemove, rule};
    return datapath_->apply(bridge_, std::span(&change, 1));
  }
  void poll() {
    datapath_->poll([this](PacketIn&&) { ++packet_ins_; }, [](BridgeId, const PortStatus&) {});
    datapath_->collect([this](const RuleHit& hit) {
      const std::size_t table_id = hit.rule == first_ ? 0 : 1;
      hits_[table_id] += hit.count.packets;
    });
  }
  void wait_until_settled(Datapath::Version version) {
    while (!datapath_->is_settled(version)) std::this_thread::yield();
  }

  std::unique_ptr<Datapath> datapath_;
  BridgeId bridge_{};
  std::uint32_t last_rule_ = 0;
  RuleId first_{};
  std::uint64_t packet_ins_ = 0;
  std::uint64_t hits_[2]{};
};

Match eth_type(std::uint16_t type) {
  Match match{};
  match.value.eth_type = Be16{type};
  match.mask.eth_type = Be16{0xffff};
  return match;
}

TEST_F(DatapathThreadTest, CountsAddUpWhileRulesChangeUnderTraffic) {
  const Instructions forward{.apply_actions = {OutputAction{PortNo{2}, 0}}};
  const Instructions drop{};
  add(make_rule(1, 1, forward));
  const auto first = make_rule(0, 1, {.goto_table = 1});
  first_ = first->id;
  add(first);
  for (int i = 0; i < 150; ++i) {
    const auto touching = make_rule(1, 2, i % 2 == 0 ? drop : forward);
    const auto other = make_rule(1, 3, drop, eth_type(static_cast<std::uint16_t>(0x6000 + i)));
    add(touching);
    add(other);
    std::this_thread::yield();
    wait_until_settled(remove(touching));
    poll();
    if (i % 4 == 0) remove(other);
  }
  datapath_->stop();
  poll();
  EXPECT_GT(hits_[0], 0u);
  EXPECT_EQ(hits_[0], hits_[1]);
  EXPECT_EQ(datapath_->table_count(bridge_, 0).matches, hits_[0]);
  EXPECT_EQ(datapath_->table_count(bridge_, 1).matches, hits_[1]);
}

TEST_F(DatapathThreadTest, PortsAndPacketsFromTheControllerComeWhileItRuns) {
  add(make_rule(0, 1, {.apply_actions = {OutputAction{PortNo{2}, 0}}}));
  const Bytes frame = Packet().eth().ipv4().udp().bytes();
  std::uint64_t sent = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    add_port(10 + i % 2);
    const ActionList to_controller{OutputAction{PortNo::kController, 0xffff}};
    sent += datapath_->packet_out(bridge_, PortNo{1}, frame, to_controller).has_value() ? 1u : 0u;
    poll();
    EXPECT_TRUE(datapath_->remove_port(bridge_, PortNo{10 + i % 2}));
  }
  datapath_->stop();
  while (
      datapath_->poll([this](PacketIn&&) { ++packet_ins_; }, [](BridgeId, const PortStatus&) {})) {
  }
  EXPECT_GT(sent, 0u);
  EXPECT_LE(packet_ins_, sent);
}

}  // namespace
}  // namespace hoist::test
