// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "datapath_fixture.hpp"
#include "pipeline/consulted.hpp"

namespace hoist::software {
namespace {

using test::MatchBuilder;

class PipelineConsultedTest : public ::testing::Test {
 protected:
  void add(std::uint8_t table_id, const MatchBuilder& match, const Instructions& instructions) {
    auto& table = tables_[table_id];
    if (!table) table = std::make_unique<Table>(Table{Classifier::create(reclaimer_), {}});
    programs_.push_back(compile(instructions, false, {}));
    const MiniMatch mini(match.match());
    table->classifier->insert(mini, 10, RuleId{1}, programs_.back().get(), 1);
    table->effects.add(mini, *programs_.back(), table_id);
  }
  FlowKey mask(std::uint32_t in_port, PacketClass packet_class) {
    FlowKey key{};
    const PacketMask mask = consulted(tables_, PortNo{in_port}, packet_class).mask;
    std::memcpy(static_cast<void*>(&key), mask.data(), sizeof mask);
    return key;
  }
  Reclaimer reclaimer_{1};
  Tables tables_;
  std::vector<ProgramPtr> programs_;
};

constexpr auto kUdp = PacketClass::kIpv4Udp;

TEST_F(PipelineConsultedTest, RuleOnInPortAloneConsultsNothing) {
  add(0, MatchBuilder().with(FieldId::kInPort, 1), test::apply({test::output(2)}));
  std::uint32_t id = 0;
  EXPECT_TRUE(make_port_masks(tables_, PortNo{1}, nullptr, id)->is_blind);
}

TEST_F(PipelineConsultedTest, OnlyTablesThatThePortsRulesReachCount) {
  add(0, MatchBuilder().with(FieldId::kInPort, 1), test::go(1));
  add(0, MatchBuilder().with(FieldId::kInPort, 2), test::go(2));
  add(1, MatchBuilder().udp().with(FieldId::kUdpDst, 7), {});
  add(2, MatchBuilder().ipv4().with(FieldId::kNwSrc, 7), {});
  EXPECT_EQ(mask(1, kUdp).tp_dst, Be16{0xffff});
  EXPECT_EQ(mask(1, kUdp).nw_src, Be32{0});
  EXPECT_EQ(mask(2, kUdp).nw_src, Be32{0xffffffff});
  EXPECT_EQ(mask(2, kUdp).tp_dst, Be16{0});
}

TEST_F(PipelineConsultedTest, MovedFieldCountsAsConsulted) {
  const MoveAction move{.source = {FieldId::kNwSrc, 0, 8}, .target = {FieldId::kReg0, 0, 8}};
  add(0, MatchBuilder().ipv4(), test::apply({move}));
  EXPECT_EQ(mask(1, kUdp).nw_src, Be32{0xff});
}

TEST_F(PipelineConsultedTest, UnchangedMasksKeepTheirIds) {
  add(0, MatchBuilder().udp().with(FieldId::kUdpDst, 7), {});
  std::uint32_t id = 0;
  const auto before = make_port_masks(tables_, PortNo{1}, nullptr, id);
  EXPECT_EQ(make_port_masks(tables_, PortNo{1}, before.get(), id), nullptr);
  add(0, MatchBuilder().udp().with(FieldId::kUdpSrc, 7), {});
  const auto after = make_port_masks(tables_, PortNo{1}, before.get(), id);
  ASSERT_NE(after, nullptr);
  EXPECT_NE(after->of(kUdp).id, before->of(kUdp).id);
  EXPECT_EQ(after->of(PacketClass::kArp).id, before->of(PacketClass::kArp).id);
}

}  // namespace
}  // namespace hoist::software
