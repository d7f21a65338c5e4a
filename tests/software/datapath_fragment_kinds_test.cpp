// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a packet in fragments is what becomes of it whole: translated, in the same
// fragments.
#include <string>

#include "datapath_fixture.hpp"
#include "support/fragment_frame.hpp"

namespace hoist::test {
namespace {

constexpr std::uint32_t kInv = 0x10, kTrk = 0x20;

struct Kind {
  std::string name;
  Packet headers;  ///< Before the payload.
  Cut cut{1184};   ///< Two fragments, each as large as it must be.
  Bytes payload = Packet().payload(1380).bytes();

  [[nodiscard]] Bytes bytes() const { return Packet(headers).payload(payload).bytes(); }
};

Bytes text_of(std::string_view line) {
  std::string text(line);
  while (text.size() < 1380) text += "NOOP\r\n";
  return {text.begin(), text.end()};
}
Packet ip4_of(const Ipv4& ip = {}) { return Packet().eth().ipv4(ip); }
Packet ip6_of(const Ipv6& ip = {}) { return Packet().eth().ipv6(ip); }

std::vector<Kind> kinds() {
  const Cut six{1240, 0x12345678}, one_before{1240, 9, 8}, two_before{1240, 9, 24};
  return {{"Udp", ip4_of().udp()},
          {"UdpWithoutChecksum", ip4_of().udp({.checksum = std::uint16_t{0}})},
          {"Tcp", ip4_of().tcp({.flags = 2})},
          {"Sctp", ip4_of().sctp()},
          {"Echo", ip4_of().icmp({.rest = 0x10001})},
          {"Gre", ip4_of({.proto = 47})},
          {"Ipv4Options", ip4_of({.options = Bytes(8, 1)}).udp()},
          {"Ipv6Udp", ip6_of().udp(), six},
          {"Ipv6Tcp", ip6_of().tcp({.flags = 2}), six},
          {"Ipv6Echo", ip6_of().icmpv6({.rest = 0x10001}), six},
          {"Ipv6HopByHop", ip6_of().extension({.type = 0}).udp(), one_before},
          {"Ipv6Destination", ip6_of().extension({.type = 60}).udp(), six},
          {"Ipv6ThreeExtensions",
           ip6_of()
               .extension({.type = 0})
               .extension({.type = 60, .body = Bytes(14)})
               .extension({.type = 60})
               .udp(),
           two_before},
          {"FtpThatGrows",
           ip4_of().tcp({.dst = 21, .flags = 2}),
           {1184},
           text_of("PORT 10,0,0,1,19,136\r\n")}};
}

NatAction source_nat(std::uint8_t family) {
  NatAction nat{.kind = NatAction::Kind::kSource, .family = family};
  const Be32 v4 = ip4("200.100.50.25");
  if (family == 4) std::memcpy(nat.first.data(), &v4, 4);
  if (family == 6) nat.first = ip6("fd00:1234:5678::9abc");
  return nat;
}

class FragmentKindsTest : public DatapathFixture, public ::testing::WithParamInterface<Kind> {
 protected:
  /// 1 inside, 2 outside, 3 what is not valid.
  void SetUp() override {
    CtAction known{.table_id = 1};
    known.nat = NatAction{};
    add(MatchBuilder(), apply({known}));
    const auto when = [](std::uint32_t port, std::uint16_t type) {
      return MatchBuilder().with(FieldId::kInPort, port).with(FieldId::kEthType, type);
    };
    for (const auto& [type, family] :
         {std::pair<std::uint16_t, std::uint8_t>{0x0800, 4}, {0x86dd, 6}}) {
      CtAction commit{.commit = true, .alg = 21, .nat = source_nat(family)};
      add(when(1, type), apply({commit, output(2)}), {.table_id = 1, .priority = 10});
      add(when(2, type), apply({output(1)}), {.table_id = 1, .priority = 10});
    }
    add(MatchBuilder().with(FieldId::kCtState, kInv | kTrk, kInv | kTrk), apply({output(3)}),
        {.table_id = 1, .priority = 20});
  }
  std::vector<Bytes> send_all(std::uint32_t port, const std::vector<Bytes>& frames,
                              std::uint32_t out) {
    for (const Bytes& frame : frames) inject(port, frame);
    return drain()[out];
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, FragmentKindsTest, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(FragmentKindsTest, IsTranslatedAsItIsWhole) {
  const Kind& kind = GetParam();
  const std::vector<Bytes> whole = send(1, kind.bytes())[2];
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_NE(whole[0], kind.bytes());
  EXPECT_EQ(send_all(1, fragmented(kind.bytes(), kind.cut), 2), fragmented(whole[0], kind.cut));
}

TEST_P(FragmentKindsTest, TheFirstOneOfAConnectionMayComeInFragments) {
  const Kind& kind = GetParam();
  const std::vector<Bytes> parts = send_all(1, fragmented(kind.bytes(), kind.cut), 2);
  EXPECT_EQ(parts, fragmented(send(1, kind.bytes())[2].at(0), kind.cut));
}

}  // namespace
}  // namespace hoist::test
