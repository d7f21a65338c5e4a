// SPDX-License-Identifier: BSD-3-Clause
// Random pipelines of three tables on the emulated NIC. After every change each packet either takes
// the way that OpenFlow gives it, or reaches software with a mark that names a point on that way,
// and every rule passed in hardware has counted it once.
#include <gtest/gtest.h>

#include <random>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;

struct Way {
  std::vector<const RuleSpec*> rules;  ///< In order; the last decides.
  int port = -1;                       ///< Sent to; -1: dropped.
  std::uint8_t last_table = 0;         ///< That was looked up.
  bool is_software = false;            ///< The last rule is software's.
};

class ChurnTest : public ManagerBench, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { begin(GetParam(), 3); }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  Rule random_rule(std::uint32_t id) {
    const auto table = static_cast<std::uint8_t>(below(3));
    Rule rule(id);
    rule.table(table).priority(static_cast<std::uint16_t>(below(5)));
    if (below(2) == 0) rule.match("in_port", 1 + below(2));
    if (below(3) != 0) {
      rule.ip().match("nw_dst", below(4), below(4));
      if (below(2) == 0) rule.match("nw_proto", 17).match("udp_dst", below(2), below(2));
    }
    if (below(8) == 0) rule.match("reg0", below(2), 1);
    const std::uint32_t kind = below(8);
    if (kind == 0) return rule;  // drop
    if (kind == 1) return rule.output(PortNo::kController);
    if (kind <= 4 && table < 2)
      return rule.go_to(static_cast<std::uint8_t>(table + 1 + below(2 - table)));
    return rule.output(1 + below(3));
  }

  static FlowKey key(std::uint32_t port, std::uint32_t dst, std::uint32_t udp) {
    FlowKey k{};
    k.in_port = Be32{port};
    k.eth_type = Be16{0x0800};
    k.ip_proto = 17;
    k.nw_dst = Be32{dst};
    k.tp_dst = Be16{static_cast<std::uint16_t>(udp)};
    return k;
  }
  /// By the letter. Nothing if two rules of one priority both match: OpenFlow leaves that open.
  std::optional<Way> way(const FlowKey& k) const {
    Way out;
    for (;;) {
      const RuleSpec* best = nullptr;
      bool is_open = false;
      for (const auto& [id, rule] : rules_) {
        if (rule->table_id != out.last_table || !rule->match.matches(k)) continue;
        is_open = best != nullptr && best->priority == rule->priority ? true : is_open;
        if (best == nullptr || rule->priority > best->priority) {
          best = rule.get();
          is_open = false;
        }
      }
      if (is_open) return std::nullopt;
      if (best == nullptr) return out;
      out.rules.push_back(best);
      const Instructions& i = *best->instructions;
      if (i.goto_table) {
        out.last_table = *i.goto_table;
        continue;
      }
      if (i.apply_actions.empty()) return out;
      const PortNo port = std::get<OutputAction>(i.apply_actions.front()).port;
      out.is_software = port == PortNo::kController;
      const bool is_back = to_integer(port) == k.in_port.host();
      if (!out.is_software && !is_back) out.port = static_cast<int>(to_integer(port));
      return out;
    }
  }
  /// How many rules of the way hardware ran before it handed the packet over; -1: no point on it.
  int passed(const Way& way, const std::optional<std::uint32_t>& mark) const {
    if (!mark) return 0;
    const auto point = marks_->find(*mark);
    if (!point) return -1;
    for (std::size_t i = 0; i < way.rules.size(); ++i) {
      const bool is_table = point->kind == ResumePoint::Kind::kTable;
      if (is_table && way.rules[i]->table_id == point->table_id) return static_cast<int>(i);
      if (!is_table && way.rules[i]->id == point->rule) return static_cast<int>(i) + 1;
    }
    const bool is_miss =
        point->table_id == way.last_table && point->kind == ResumePoint::Kind::kTable;
    return is_miss ? static_cast<int>(way.rules.size()) : -1;
  }
  void check(std::uint32_t port, std::uint32_t dst, std::uint32_t udp) {
    const auto expected = way(key(port, dst, udp));
    const Bytes frame = Packet()
                            .eth()
                            .ipv4({.dst = Be32{dst}})
                            .udp({.dst = static_cast<std::uint16_t>(udp)})
                            .payload(4)
                            .bytes();
    const auto packets = in(port, frame);
    int to = -1;
    for (unsigned p = 1; p <= kPorts; ++p) to = out(p).empty() ? to : static_cast<int>(p);
    if (!expected) return uncounted();
    std::size_t count = expected->rules.size();
    if (packets.empty()) {
      ASSERT_EQ(to, expected->port);
      ASSERT_FALSE(expected->is_software);
    } else {
      const int n = passed(*expected, packets[0].mark);
      ASSERT_GE(n, 0) << "mark " << packets[0].mark.value_or(0);
      count = static_cast<std::size_t>(n);
    }
    hardware_ += packets.empty() ? 1u : 0u;
    for (std::size_t i = 0; i < count; ++i) ++expected_hits_[expected->rules[i]->id];
  }
  /// Whatever counted is right.
  void uncounted() {
    static_cast<void>(carried(0));
    expected_hits_.clear();
    for (const auto& [rule, hits] : hits_) expected_hits_[rule] = hits.packets;
  }
  void check_all() {
    for (std::uint32_t port = 1; port <= 2; ++port) {
      for (std::uint32_t packet = 0; packet < 8 && !HasFatalFailure(); ++packet) {
        if (!way(key(port, packet & 3, packet >> 2))) uncounted();
        check(port, packet & 3, packet >> 2);
      }
    }
    static_cast<void>(carried(0));
    for (const auto& [rule, hits] : expected_hits_) {
      ASSERT_EQ(hits_[rule].packets, hits) << "rule " << to_integer(rule);
    }
  }

  std::mt19937 random_{static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()) +
                       3u};
  std::map<RuleId, std::uint64_t> expected_hits_;
  std::uint64_t hardware_ = 0;
};

TEST_P(ChurnTest, PacketsTakeOpenFlowsWay) {
  std::uint32_t id = 0;
  for (int turn = 0; turn < 300 && !HasFatalFailure(); ++turn) {
    if (below(10) == 0) emulated_nic_fail_creates(1 + below(4), 1, below(2) == 0 ? ENOSPC : EIO);
    if (rules_.size() < 6 || (rules_.size() < 24 && below(2) == 0)) {
      add(random_rule(++id));
    } else {
      remove(std::next(rules_.begin(), below(static_cast<std::uint32_t>(rules_.size())))->first);
    }
    now_ms_ += 500;
    check_all();
  }
  if (std::string(GetParam()) != "basic") {
    EXPECT_GT(hardware_, 100u);  // that one only drops
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, ChurnTest,
                         ::testing::Values("connectx", "tiny", "ideal", "basic"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace hoist::offload
