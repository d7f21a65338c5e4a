// SPDX-License-Identifier: BSD-3-Clause
// What a NIC can do to the flow manager in its life: stop, reset, vanish, come back, fill up, lose
// its cable, become another NIC. Rules come back, counts never run backwards, nothing leaks or is
// touched that is void (ManagerBench checks the books at the end), and packets go on in software.
#include <gtest/gtest.h>

#include <cerrno>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;

class LifeTest : public ManagerBench {
 protected:
  static Bytes udp() { return Packet().eth().ipv4().udp().payload(10).bytes(); }

  /// A rule each way.
  void add_both() {
    add({Rule(1).match("in_port", 1).output(2).spec(),
         Rule(2).match("in_port", 2).output(1).spec()});
  }
  /// As a daemon stops a port and starts it again: told before, told after.
  void restart(unsigned port) {
    settle(manager_->detach_port(kBridge, PortNo{port}));
    stop(static_cast<std::uint16_t>(port - 1));
    start(static_cast<std::uint16_t>(port - 1));
    settle(attach(port));
  }
  void after(std::uint64_t ms) {
    now_ms_ += ms;
    manager_->run_once();
  }
};

TEST_F(LifeTest, RulesComeBackWithAPortThatWasStopped) {
  add_both();
  for (const unsigned port : {2u, 1u}) {
    restart(port);
    EXPECT_EQ(fate(1, udp()), 2) << "after a restart of " << port;
    EXPECT_EQ(fate(2, udp()), 1);
  }
}

TEST_F(LifeTest, OtherPortsGoOnWithoutTheOneThatTookTheirRules) {
  add({Rule(1).match("in_port", 2).ip().go_to(1).spec(), Rule(2).table(1).ip().spec()});
  EXPECT_EQ(fate(2, udp()), -1);
  settle(manager_->detach_port(kBridge, PortNo{1}));
  stop(0);
  EXPECT_EQ(book("lost_rules"), 0u) << "all were taken out before";
  EXPECT_EQ(fate(2, udp()), -1) << "port 2 has rules of its own now";
  start(0);
  settle(attach(1));
  EXPECT_EQ(fate(2, udp()), -1);
  EXPECT_EQ(carried(2).packets, 3u);
}

TEST_F(LifeTest, PacketsRunInSoftwareWhileAPortIsBeingReset) {
  add_both();
  emulated_nic_reset_port(0);
  manager_->run_once();
  EXPECT_EQ(fate(2, udp()), 0);
  EXPECT_EQ(placement(2).tier, Tier::kSoftware);
  stop(0);
  start(0);
  after(2000);
  EXPECT_EQ(fate(1, udp()), 2) << "rules are replayed without being asked for";
  EXPECT_EQ(fate(2, udp()), 1);
}

TEST_F(LifeTest, AttachingAPortThatWasResetReplaysAtOnce) {
  add_both();
  emulated_nic_reset_port(0);
  stop(0);
  start(0);
  settle(attach(1));
  EXPECT_EQ(fate(1, udp()), 2);
}

TEST_F(LifeTest, ChangesDuringAResetAreNotLost) {
  add_both();
  emulated_nic_reset_port(0);
  remove(1);
  add(Rule(3).match("in_port", 1).output(3));
  add(Rule(4).priority(200).match("in_port", 2).ip());
  stop(0);
  start(0);
  after(2000);
  EXPECT_EQ(fate(2, udp()), -1);
  settle(attach(3));
  EXPECT_EQ(fate(1, udp()), 3);
}

TEST_F(LifeTest, CountsNeverRunBackwards) {
  add_both();
  std::uint64_t last = 0;
  const auto check = [&] {
    const std::uint64_t now = carried(1).packets;
    EXPECT_GE(now, last);
    EXPECT_EQ(placement(1).hardware.packets, now);
    last = now;
  };
  for (int round = 0; round < 3; ++round) {
    fate(1, udp());
    check();
    restart(1);
    fate(1, udp());
    check();
    emulated_nic_reset_port(0);
    check();
    restart(1);
    check();
    settle(manager_->set_enabled(false));
    settle(manager_->set_enabled(true));
    fate(1, udp());
    check();
  }
  EXPECT_EQ(last, 9u);
}

TEST_F(LifeTest, PortThatIsPulledOutRunsInSoftwareUntilItIsBack) {
  add_both();
  fate(2, udp());
  ASSERT_EQ(carried(2).packets, 1u);
  emulated_nic_remove_port(0);
  manager_->run_once();
  EXPECT_EQ(placement(2).tier, Tier::kSoftware);
  EXPECT_EQ(fate(2, udp()), 0);
  // What comes meanwhile is there when the port is.
  add(Rule(3).priority(200).match("in_port", 2).ip());
  settle(manager_->detach_port(kBridge, PortNo{1}));
  stop(0);
  start(0);
  settle(attach(1));
  EXPECT_EQ(fate(1, udp()), 2);
  EXPECT_EQ(fate(2, udp()), -1);
  EXPECT_EQ(carried(2).packets, 1u);
}

TEST_F(LifeTest, LinkThatGoesDownCostsNoRule) {
  add_both();
  const std::uint64_t before = rule_count();
  emulated_nic_set_link(1, 0);
  settle(attach(2));
  EXPECT_EQ(rule_count(), before);
  emulated_nic_set_link(1, 1);
  settle(attach(2));
  EXPECT_EQ(fate(1, udp()), 2);
}

TEST_F(LifeTest, PortThatReturnsAsAnotherNicIsAskedAnew) {
  add_both();
  for (const unsigned port : {1u, 2u}) settle(manager_->detach_port(kBridge, PortNo{port}));
  EXPECT_EQ(rule_count(), 0u);
  use("basic");
  for (const unsigned port : {1u, 2u}) settle(attach(port));
  EXPECT_EQ(fate(1, udp()), 0);
  EXPECT_EQ(placement(1).refusal, Refusal::kActionUnsupported) << placement(1).reason;
  for (const unsigned port : {1u, 2u}) settle(manager_->detach_port(kBridge, PortNo{port}));
  use("ideal");
  for (const unsigned port : {1u, 2u}) settle(attach(port));
  EXPECT_EQ(fate(1, udp()), 2);
}

TEST_F(LifeTest, NicThatFillsUpHalfWayThroughAReplayTakesTheRestWhenItHasRoom) {
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t i = 1; i <= 100; ++i) {
    rules.push_back(Rule(i).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
  }
  add(rules);
  settle(manager_->detach_port(kBridge, PortNo{1}));
  emulated_nic_set_room(50);
  settle(attach(1));
  EXPECT_LE(rule_count(), 50u);
  EXPECT_GT(rule_count(), 40u);
  emulated_nic_set_room(1000);
  for (int i = 0; i < 10; ++i) after(60'000);
  for (std::uint32_t i = 1; i <= 100; ++i) EXPECT_EQ(placement(i).tier, Tier::kFull) << i;
}

TEST_F(LifeTest, SwitchingAtEveryPointOfAFailingNicLeaksNothing) {
  for (std::uint64_t nth = 1; nth <= 10; ++nth) {
    begin("connectx");
    add_both();
    emulated_nic_fail_creates(nth, 2, EIO);
    settle(manager_->set_port_enabled(kBridge, PortNo{1}, false));
    const int first = fate(1, udp());
    EXPECT_EQ(first, 0);
    const int second = fate(2, udp());
    EXPECT_TRUE(second == 0 || second == 1);
    settle(manager_->set_port_enabled(kBridge, PortNo{1}, true));
    after(60'000);
    after(60'000);
    EXPECT_EQ(fate(1, udp()), 2) << "failure " << nth;
    EXPECT_EQ(fate(2, udp()), 1);
  }
}

}  // namespace
}  // namespace hoist::offload
