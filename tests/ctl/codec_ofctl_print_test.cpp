// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <unistd.h>
#include <array>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hoist/packet_in.hpp"
#include "recorded_messages.hpp"

// What hoist sends, as ovs-ofctl reads it.

namespace hoist::test {
namespace {

using namespace openflow;

class OfctlPrintTest : public testing::TestWithParam<Version> {
 protected:
  void SetUp() override {
    if (std::system("ovs-ofctl --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "ovs-ofctl is not installed";
    }
  }
  [[nodiscard]] Envelope to() const { return {GetParam(), 7}; }
  [[nodiscard]] bool is_10() const { return GetParam() == Version::kOf10; }

  /// ovs-ofctl's reading of messages laid end to end.
  static std::string print(const Bytes& messages) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("hoist_ofctl_print." + std::to_string(::getpid()) + ".bin");
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(messages.data()),
               static_cast<std::streamsize>(messages.size()));
    FILE* pipe = popen(("ovs-ofctl ofp-parse " + file.string() + " 2>&1").c_str(), "r");
    std::string out;
    std::array<char, 4096> part;
    while (const std::size_t n = fread(part.data(), 1, part.size(), pipe))
      out.append(part.data(), n);
    pclose(pipe);
    std::filesystem::remove(file);
    return out;
  }
  static void expect(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos)
        << "lacks: " << part << "\nin: " << text.substr(0, 4000);
  }
  static void expect_well_formed(const std::string& text) {
    EXPECT_EQ(text.find("***"), std::string::npos) << text.substr(0, 4000);
    EXPECT_EQ(text.find("decode error"), std::string::npos) << text.substr(0, 4000);
  }

  static PortDesc port(std::uint32_t number, const char* name) {
    PortDesc p;
    p.status.number = PortNo{number};
    p.status.name = name;
    p.status.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(number)};
    p.status.is_link_up = true;
    p.status.speed_mbps = 10000;
    return p;
  }
};

TEST_P(OfctlPrintTest, ReadsFeatures) {
  Bytes out;
  encode(out, to(), FeaturesReply{0x1234, 0, 254, 0, {port(1, "p1"), port(2, "p2")}});
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "dpid:0000000000001234");
  expect(text, "n_tables:254");
  if (is_10()) expect(text, " 2(p2): addr:02:00:00:00:00:02");
}

TEST_P(OfctlPrintTest, ReadsPortDescriptions) {
  Bytes out;
  encode_port_descs(out, to(), std::array{port(1, "p1"), port(2, "a-name-of-more-than-15-bytes")});
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "1(p1): addr:02:00:00:00:00:01");
  expect(text, "2(a-name-of-more-)");
  expect(text, "current:    10GB-FD");
  if (!is_10()) expect(text, "speed: 10000 Mbps now, 10000 Mbps max");
}

TEST_P(OfctlPrintTest, ReadsPortStatus) {
  PortDesc down = port(3, "p3");
  down.status.is_link_up = false;
  down.status.flags = PortFlags::kNoPacketIn;
  Bytes out;
  encode_port_status(out, to(), PortChange::kModify, down);
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "MOD: 3(p3)");
  expect(text, "LINK_DOWN");
  expect(text, "NO_PACKET_IN");
}

TEST_P(OfctlPrintTest, ReadsPortStatistics) {
  PortStats stats;
  stats.port_no = PortNo{1};
  stats.counters = {10, 1000, 1, 2, 20, 2000, 3, 4};
  stats.duration_s = 5;
  Bytes out;
  encode_port_stats(out, to(), std::span(&stats, 1));
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "rx pkts=10, bytes=1000, drop=1, errs=2, frame=?, over=?, crc=?");
  expect(text, "tx pkts=20, bytes=2000, drop=3, errs=4, coll=?");
  if (!is_10()) expect(text, "duration=5s");
}

TEST_P(OfctlPrintTest, ReadsTableStatistics) {
  Bytes out;
  encode_table_stats(out, to(),
                     std::array{TableStats{0, "table0", 3, 100, 90}, TableStats{1, "t1", 0, 0, 0}});
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "active=3, lookup=100, matched=90");
}

TEST_P(OfctlPrintTest, ReadsTableFeatures) {
  if (is_10()) GTEST_SKIP() << "OpenFlow 1.0 has no table features";
  std::vector<TableStats> tables;
  for (unsigned i = 0; i < kTableCount; ++i) {
    tables.push_back({static_cast<std::uint8_t>(i), "table" + std::to_string(i), 0, 0, 0});
  }
  Bytes out;
  encode_table_features(out, to(), tables);
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "table 253 (\"table253\")");
  expect(text, "next tables: 1-253");
  expect(text, "apply_actions clear_actions write_actions write_metadata goto_table");
}

TEST_P(OfctlPrintTest, ReadsDescriptionAndAggregates) {
  Bytes out;
  encode(out, to(), Description{"hoist", "x86", "1.0", "none", "br0"});
  encode(out, to(), AggregateReply{{5, 300}, 2, false});
  if (is_10()) encode(out, to(), AggregateReply{{5, 300}, 2, true});
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "Manufacturer: hoist");
  expect(text, "packet_count=5 byte_count=300 flow_count=2");
}

TEST_P(OfctlPrintTest, ReadsSmallReplies) {
  Bytes out;
  encode(out, to(), Hello{0b110010});
  encode(out, to(), EchoReply{{1, 2, 3}});
  encode(out, to(), GetConfigReply{0, 128});
  encode_barrier_reply(out, to());
  if (GetParam() != Version::kOf14) encode_queue_config_reply(out, to(), PortNo{1});
  encode_role_reply(out, to(), {RoleRequest::Role::kMaster, 9, is_10()});
  if (!is_10()) encode_group_features(out, to());
  if (!is_10()) encode(out, to(), MeterFeatures{.max_meter = 7, .band_types = 6, .max_bands = 8});
  if (!is_10()) encode_async_reply(out, to(), {{7, 0}, {7, 7}, {15, 0}});
  if (!is_10()) encode_bundle_reply(out, to(), {3, 4, 1});
  for (const auto kind :
       {EmptyReply::kGroupStats, EmptyReply::kGroupDesc, EmptyReply::kQueueStats}) {
    if (!is_10() || kind == EmptyReply::kQueueStats) encode_empty(out, to(), kind);
  }
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "OFPT_BARRIER_REPLY");
  expect(text, is_10() ? "NXT_ROLE_REPLY (xid=0x7): role=primary" : "role=primary generation_id=9");
  expect(text, "miss_send_len=128");
  if (!is_10()) expect(text, "COMMIT_REPLY");
}

TEST_P(OfctlPrintTest, ReadsEveryErrorByItsName) {
  const std::array<std::uint8_t, 8> offending{to_integer(GetParam()), 2, 0, 8, 0, 0, 0, 1};
  Bytes out;
  std::size_t count = 0;
  for (; count <= to_integer(ErrorName::kHelloIncompatible); ++count) {
    encode_error(out, to(), to_wire(static_cast<ErrorName>(count), GetParam()), offending);
  }
  const std::string text = print(out);
  expect_well_formed(text);
  std::size_t named = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("): OFP") != std::string::npos || line.find("): NX") != std::string::npos)
      ++named;
  }
  EXPECT_EQ(named, count) << text;
}

TEST_P(OfctlPrintTest, ReadsFlowStatistics) {
  const auto parsed =
      std::get<FlowMod>(*decode_exactly(recorded_messages("ofctl_flow_mods.txt")[40].bytes,
                                        recorded_messages("ofctl_flow_mods.txt")[40].dialect));
  const MiniMatch match(parsed.match);
  FlowStats stats;
  stats.table_id = 3;
  stats.duration_s = 5;
  stats.duration_ns = 120000000;
  stats.priority = 77;
  stats.idle_timeout = 30;
  stats.cookie = 0x99;
  stats.count = {7, 420};
  stats.match = &match;
  stats.instructions = &parsed.instructions;
  Bytes out;
  FlowStatsReply reply(out, to(), is_10());
  reply.add(stats);
  reply.finish();
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "cookie=0x99, duration=5.120s, table=3, n_packets=7, n_bytes=420, idle_timeout=30");
  expect(text, "priority=77");
}

TEST_P(OfctlPrintTest, ReadsEveryRecordedRuleBack) {
  Bytes out;
  FlowStatsReply reply(out, to(), is_10());
  std::size_t count = 0;
  for (const Recorded& r : recorded_messages("ofctl_flow_mods.txt")) {
    const auto request = decode_exactly(r.bytes, r.dialect);
    if (!request) continue;
    const FlowMod& mod = std::get<FlowMod>(*request);
    const MiniMatch match(mod.match);
    FlowStats stats;
    stats.priority = mod.priority;
    stats.match = &match;
    stats.instructions = &mod.instructions;
    reply.add(stats);
    ++count;
  }
  reply.finish();
  const std::string text = print(out);
  expect_well_formed(text);
  std::size_t lines = 0;
  for (std::size_t at = text.find("n_packets="); at != std::string::npos;
       at = text.find("n_packets=", at + 1))
    ++lines;
  EXPECT_EQ(lines, count);
}

TEST_P(OfctlPrintTest, ReadsFlowRemoved) {
  Match match;
  match.value.eth_type = Be16(0x0800);
  match.mask.eth_type = Be16(0xffff);
  const MiniMatch mini(match);
  FlowRemoved removed;
  removed.stats.match = &mini;
  removed.stats.priority = 5;
  removed.stats.cookie = 0x42;
  removed.stats.count = {3, 180};
  removed.reason = 1;
  Bytes out;
  encode(out, to(), removed, false);
  if (is_10()) encode(out, to(), removed, true);
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "priority=5,ip reason=hard");
  expect(text, "cookie:0x42");
  expect(text, "pkts3 bytes180");
}

TEST_P(OfctlPrintTest, ReadsPacketIns) {
  PacketIn packet;
  packet.reason = 1;
  packet.table_id = 4;
  packet.key.in_port = Be32(3);
  packet.key.regs[2] = Be32(0x77);
  packet.key.metadata = Be64(0x5555);
  packet.frame = Bytes(60);
  packet.frame[12] = 0x08;
  packet.frame[13] = 0x06;
  const PacketInMessage message{&packet, 0x99};
  using Format = PacketInMessage::Format;
  for (const Format format : {Format::kStandard, Format::kNicira, Format::kNicira2}) {
    Bytes out;
    encode(out, to(), message, format);
    const std::string text = print(out);
    expect_well_formed(text);
    expect(text, "in_port=3");
    expect(text, "total_len=60");
    if (is_10() && format == Format::kStandard) continue;
    expect(text, "reg2=0x77");
    expect(text, "metadata=0x5555");
    expect(text, "cookie=0x99");
    expect(text, "table_id=4");
  }
}

TEST_P(OfctlPrintTest, ReadsPacketInsCutToTheLengthAskedFor) {
  PacketIn packet;
  packet.frame = Bytes(60);
  packet.max_len = 32;
  Bytes out;
  encode(out, to(), PacketInMessage{&packet});
  expect(print(out), "data_len=32");
}

TEST_P(OfctlPrintTest, ReadsFlowMonitorUpdates) {
  if (GetParam() == Version::kOf13) GTEST_SKIP() << "OpenFlow 1.3 has no flow monitor of its own";
  Match match;
  match.value.eth_type = Be16(0x0806);
  match.mask.eth_type = Be16(0xffff);
  const MiniMatch mini(match);
  Instructions instructions;
  instructions.apply_actions.push_back(OutputAction{PortNo{2}, 0});
  FlowStats stats;
  stats.match = &mini;
  stats.instructions = &instructions;
  stats.priority = 9;
  Bytes out;
  FlowMonitorReply reply(out, to(), is_10());
  reply.add(FlowEvent::kAdded, stats);
  reply.add(FlowEvent::kRemoved, stats, 2);
  reply.add_abbreviated(0x1234);
  reply.finish();
  const std::string text = print(out);
  expect_well_formed(text);
  expect(text, "event=ADDED table=0");
  expect(text, "arp actions=output:2");
  expect(text, "reason=delete");
  expect(text, "event=ABBREV xid=0x1234");
}

INSTANTIATE_TEST_SUITE_P(Versions, OfctlPrintTest,
                         testing::Values(Version::kOf10, Version::kOf13, Version::kOf14));

}  // namespace
}  // namespace hoist::test
