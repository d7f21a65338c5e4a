// SPDX-License-Identifier: BSD-3-Clause
#include "agent_fixture.hpp"

namespace hoist::openflow {
namespace {

using Types = std::vector<int>;
constexpr std::uint8_t kMeterMod = 29;
constexpr std::uint16_t kAdd = 0, kModify = 1, kDelete = 2;

struct MeterModBytes {
  std::uint16_t command = kAdd;
  std::uint32_t meter_id = 1;
  std::uint32_t rate = 1000;
  std::uint32_t burst_size = 0;
  std::uint16_t flags = MeterConfig::kKbps;
  std::uint16_t band_type = 1;
  unsigned bands = 1;
};
/// An OpenFlow 1.3 meter mod with equal bands.
Bytes meter_mod(const MeterModBytes& m) {
  MessageBytes out(Version::kOf13, kMeterMod, 5);
  out.u16(m.command).u16(m.flags).u32(m.meter_id);
  for (unsigned i = 0; i < m.bands; ++i) {
    out.u16(m.band_type).u16(16).u32(m.rate).u32(m.burst_size).u32(0);
  }
  return out.done();
}
/// in_port=... actions=meter:...,output:2
Bytes metered_rule(std::uint32_t in_port, std::uint32_t meter_id, std::uint16_t flags = 0) {
  MessageBytes m(Version::kOf13, kFlowMod, 7);
  m.u64(0xc0).u64(0).u8(0).u8(0).u16(0).u16(0).u16(100);
  m.u32(0xffffffff).u32(0xffffffff).u32(0xffffffff).u16(flags).u16(0);
  m.u16(1).u16(12).u32(0x80000004).u32(in_port).u32(0);
  m.u16(6).u16(8).u32(meter_id);
  m.u16(4).u16(24).u32(0).u16(0).u16(16).u32(2).u16(0).u16(0).u32(0);
  return m.done();
}
Bytes request(std::uint16_t type, std::uint32_t meter_id) {
  MessageBytes out(Version::kOf13, kMultipart, 9);
  return out.u16(type).u16(0).u32(0).u32(meter_id).u32(0).done();
}

class AgentMeterTest : public AgentTest {
 protected:
  void SetUp() override { session_ = connect(); }
  /// The error's code, or -1 if there is none. All are of type OFPET_METER_MOD_FAILED.
  int code_of(const Bytes& message) {
    session_->output().clear();
    give(*session_, message);
    const Bytes& out = session_->output();
    if (out.empty()) return -1;
    EXPECT_EQ(out[1], kError);
    EXPECT_EQ(out[9], 12);
    return out[11];
  }
  Bytes answer_to(const Bytes& message) {
    session_->output().clear();
    give(*session_, message);
    settle();
    while (session_->advance() == Session::Progress::kRunning) {
    }
    return session_->output();
  }
  std::unique_ptr<Session> session_;
};

TEST_F(AgentMeterTest, EachMistakeHasItsOwnError) {
  EXPECT_EQ(code_of(meter_mod({})), -1);
  EXPECT_EQ(code_of(meter_mod({})), 1) << "OFPMMFC_METER_EXISTS";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 0})), 2) << "OFPMMFC_INVALID_METER";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 0xffff0001})), 2);
  EXPECT_EQ(code_of(meter_mod({.command = kModify, .meter_id = 2})), 3) << "UNKNOWN_METER";
  EXPECT_EQ(code_of(meter_mod({.command = 3})), 4) << "OFPMMFC_BAD_COMMAND";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 3, .flags = 3})), 5) << "OFPMMFC_BAD_FLAGS";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 3, .rate = 0})), 6) << "OFPMMFC_BAD_RATE";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 3, .band_type = 9})), 8) << "OFPMMFC_BAD_BAND";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 3, .bands = 9})), 11) << "OFPMMFC_OUT_OF_BANDS";
  EXPECT_EQ(bridge_.meters().size(), 1u);
}

TEST_F(AgentMeterTest, TheLargestNumberAndTheSwitchsOwnMetersCanBeSet) {
  for (const std::uint32_t id : {0xffff0000u, 0xfffffffdu, 0xfffffffeu}) {
    EXPECT_EQ(code_of(meter_mod({.meter_id = id})), -1) << id;
  }
  EXPECT_EQ(datapath_.meters.size(), 3u);
  EXPECT_EQ(flow_manager_.meter_change_count, 3u);
}

TEST_F(AgentMeterTest, RuleWithAMeterThatIsNotThereIsRefused) {
  EXPECT_EQ(code_of(metered_rule(1, 7)), 2) << "OFPMMFC_INVALID_METER";
  EXPECT_EQ(code_of(meter_mod({.meter_id = 7})), -1);
  EXPECT_EQ(code_of(metered_rule(1, 7)), -1);
}

TEST_F(AgentMeterTest, DeletionTakesTheRulesAlongInOneStep) {
  give(*session_, {meter_mod({.meter_id = 1}), meter_mod({.meter_id = 2}), metered_rule(1, 1),
                   metered_rule(2, 1), metered_rule(3, 2)});
  datapath_.steps.clear();
  EXPECT_EQ(code_of(meter_mod({.command = kDelete, .meter_id = 1})), -1);
  ASSERT_EQ(datapath_.steps.size(), 1u);
  EXPECT_EQ(datapath_.steps[0].size(), 2u);
  EXPECT_EQ(bridge_.rules().rule_count(), 1u);
  EXPECT_EQ(datapath_.meters.size(), 1u);
  EXPECT_EQ(code_of(meter_mod({.command = kDelete, .meter_id = 0xffffffff})), -1);
  EXPECT_EQ(bridge_.rules().rule_count(), 0u);
  EXPECT_TRUE(datapath_.meters.empty());
}

TEST_F(AgentMeterTest, RulesRemovedWithTheirMeterAreReportedAsDeleted) {
  session_ = connect(false);
  give(*session_, {meter_mod({}), metered_rule(1, 1, FlowMod::kSendFlowRem)});
  planes_.on_gone([this](const Rule& rule) { bridge_.flow_removed(rule); });
  give(*session_, meter_mod({.command = kDelete}));
  settle();
  planes_.poll();
  const Bytes& out = session_->output();
  ASSERT_GT(out.size(), 18u);
  EXPECT_EQ(out[1], kFlowRemovedType);
  EXPECT_EQ(out[18], 2) << "OFPRR_DELETE";
}

TEST_F(AgentMeterTest, ConfigurationIsEchoedAsItWasSet) {
  give(*session_, meter_mod({.meter_id = 5, .rate = 77, .flags = MeterConfig::kPktps}));
  const Bytes reply = answer_to(request(10, 5));
  const Bytes body(reply.begin() + 16, reply.end());
  const Bytes wanted = {0, 24, 0, 2, 0, 0, 0, 5, 0, 1, 0, 16, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(body, wanted);
}

TEST_F(AgentMeterTest, StatisticsAreTheSumOfBothPlanes) {
  give(*session_, {meter_mod({.meter_id = 5}), metered_rule(1, 5)});
  bridge_.count(
      {.bridge = BridgeId{0}, .meter = MeterId{5}, .in = {10, 1000}, .dropped = {3, 300}});
  const Bytes reply = answer_to(request(9, 0xffffffff));
  ASSERT_EQ(reply.size(), 16u + 56u);
  EXPECT_EQ(reply[16 + 5], 56);
  EXPECT_EQ(reply[16 + 15], 1) << "flow_count";
  EXPECT_EQ(reply[16 + 23], 17) << "packet_in_count";
  EXPECT_EQ(reply[16 + 47], 5) << "packets of the band";
}

TEST_F(AgentMeterTest, StatisticsOfAMeterThatIsNotThereAreRefused) {
  EXPECT_EQ(code_of(request(9, 4)), 3);
  EXPECT_EQ(code_of(request(10, 4)), 3);
}

TEST_F(AgentMeterTest, ModificationKeepsTheRules) {
  give(*session_, {meter_mod({}), metered_rule(1, 1)});
  EXPECT_EQ(code_of(meter_mod({.command = kModify, .rate = 5})), -1);
  EXPECT_EQ(datapath_.meters[MeterId{1}].bands[0].rate, 5u);
  EXPECT_EQ(bridge_.rules().rule_count(), 1u);
}

TEST_F(AgentMeterTest, ReplacedAndRolledBackRulesAreCountedRight) {
  give(*session_, {meter_mod({.meter_id = 1}), meter_mod({.meter_id = 2}), metered_rule(1, 1),
                   metered_rule(1, 2), metered_rule(2, 2)});
  EXPECT_EQ(bridge_.rules().meter_users().count(MeterId{1}), 0u);
  EXPECT_EQ(bridge_.rules().meter_users().count(MeterId{2}), 2u);
  FlowMod all;
  all.command = FlowMod::Command::kDelete;
  all.table_id = 0xff;
  ASSERT_TRUE(bridge_.rules().apply(std::move(all), 0, {}));
  EXPECT_EQ(bridge_.rules().meter_users().count(MeterId{2}), 0u);
  bridge_.rules().rollback();
  EXPECT_EQ(bridge_.rules().meter_users().of(MeterId{2}).size(), 2u);
}

}  // namespace
}  // namespace hoist::openflow
