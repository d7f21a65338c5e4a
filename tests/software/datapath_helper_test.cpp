// SPDX-License-Identifier: BSD-3-Clause
// What ct(alg=ftp) and ct(alg=tftp) let through, and what becomes of payloads under NAT.
#include <string_view>

#include "datapath_fixture.hpp"
#include "hoist/expectations.hpp"

namespace hoist::test {
namespace {

constexpr std::uint32_t kNew = 0x01, kEst = 0x02, kRel = 0x04, kTrk = 0x20;
const Be32 kClient = ip4("10.0.0.1"), kServer = ip4("10.0.0.2"), kPublic = ip4("200.100.50.25");

/// One segment of a session, as somebody sees it.
struct Segment {
  Be32 src = kClient, dst = kServer;
  std::uint16_t src_port = 1000, dst_port = 21;
  std::uint32_t seq = 101, ack = 501;
  std::string_view text = "";
  std::uint16_t flags = 0x18;
  Bytes options{};

  [[nodiscard]] Bytes bytes() const {
    return Packet()
        .eth()
        .ipv4({.src = src, .dst = dst})
        .tcp({.src = src_port,
              .dst = dst_port,
              .flags = flags,
              .seq = seq,
              .ack = ack,
              .window = 8000,
              .options = options})
        .payload(Bytes(text.begin(), text.end()))
        .bytes();
  }
};

class DatapathHelperTest : public DatapathFixture {
 protected:
  static CtAction tracked(bool translates) {
    CtAction ct{.table_id = 1};
    if (translates) ct.nat = NatAction{};
    return ct;
  }
  static NatAction nat_to(NatAction::Kind kind, Be32 address) {
    NatAction nat{.kind = kind, .family = 4};
    std::memcpy(nat.first.data(), &address, 4);
    nat.last = nat.first;
    return nat;
  }
  /// 1 inside, 2 outside: what is announced comes in.
  void add_gateway(std::uint16_t alg, const std::optional<NatAction>& nat = {}) {
    const auto when = [](std::uint32_t port, std::uint32_t state) {
      return MatchBuilder()
          .ipv4()
          .with(FieldId::kInPort, port)
          .with(FieldId::kCtState, state | kTrk, state | kTrk);
    };
    add(MatchBuilder().ipv4(), apply({tracked(true)}));
    CtAction commit{.commit = true, .alg = alg, .nat = nat};
    CtAction related{.commit = true, .nat = NatAction{}};
    add(when(1, kNew), apply({commit, output(2)}), {.table_id = 1, .priority = 10});
    add(when(1, kNew | kRel), apply({related, output(2)}), {.table_id = 1, .priority = 20});
    add(when(2, kNew | kRel), apply({related, output(1)}), {.table_id = 1, .priority = 20});
    add(when(1, kEst), apply({output(2)}), {.table_id = 1, .priority = 10});
    add(when(2, kEst), apply({output(1)}), {.table_id = 1, .priority = 10});
  }
  static Sent passes(std::uint32_t port, const Segment& segment) {
    return {{port, {segment.bytes()}}};
  }
  /// Handshake between the client and the server; `inside`, `outside`: of its segments.
  void open(const Segment& inside, const Segment& outside) {
    const auto step = [](Segment s, std::uint16_t flags, std::uint32_t seq, std::uint32_t ack) {
      s.flags = flags;
      s.seq = seq;
      s.ack = ack;
      return s;
    };
    send(1, step(inside, 2, 100, 0).bytes());
    send(2, step(back(outside), 0x12, 500, 101).bytes());
    EXPECT_EQ(send(1, step(inside, 0x10, 101, 501).bytes()),
              passes(2, step(outside, 0x10, 101, 501)));
  }
  static Segment back(Segment s) {
    std::swap(s.src, s.dst);
    std::swap(s.src_port, s.dst_port);
    return s;
  }
  static Segment says(Segment s, std::uint32_t seq, std::uint32_t ack, std::string_view text) {
    s.seq = seq;
    s.ack = ack;
    s.text = text;
    return s;
  }
  static Segment syn(Be32 src, Be32 dst, std::uint16_t dst_port) {
    return {.src = src,
            .dst = dst,
            .src_port = 20,
            .dst_port = dst_port,
            .seq = 1,
            .ack = 0,
            .flags = 2};
  }
};

TEST_F(DatapathHelperTest, TheServersDataConnectionComesInWhenTheClientHasAskedForIt) {
  add_gateway(21);
  open({}, {});
  const Segment port = says({}, 101, 501, "PORT 10,0,0,1,19,136\r\n");
  EXPECT_EQ(send(2, syn(kServer, kClient, 5000).bytes()), Sent{}) << "unasked";
  EXPECT_EQ(send(1, port.bytes()), passes(2, port));
  const Segment data = syn(kServer, kClient, 5000);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(send(2, data.bytes()), passes(1, data));
  EXPECT_EQ(send(2, syn(kServer, kClient, 5001).bytes()), Sent{});
}

TEST_F(DatapathHelperTest, WithoutAHelperNothingIsExpected) {
  add_gateway(0);
  open({}, {});
  send(1, says({}, 101, 501, "PORT 10,0,0,1,19,136\r\n").bytes());
  EXPECT_EQ(send(2, syn(kServer, kClient, 5000).bytes()), Sent{});
}

TEST_F(DatapathHelperTest, AnotherHostsAddressAndTheWrongEndAreNotBelieved) {
  add_gateway(21);
  open({}, {});
  const Segment other = says({}, 101, 501, "PORT 10,0,0,9,19,136\r\n");
  const Segment reply = says({}, 123, 501, "227 (10,0,0,1,19,136)\r\n");
  EXPECT_EQ(send(1, other.bytes()), passes(2, other));
  EXPECT_EQ(send(1, reply.bytes()), passes(2, reply));
  EXPECT_EQ(send(2, syn(kServer, kClient, 5000).bytes()), Sent{});
}

TEST_F(DatapathHelperTest, UnderSourceNatThePayloadNamesTheAddressThatTheServerSees) {
  add_gateway(21, nat_to(NatAction::Kind::kSource, kPublic));
  const Segment out{.src = kPublic};
  open({}, out);
  EXPECT_EQ(send(1, says({}, 101, 501, "PORT 10,0,0,1,19,136\r\n").bytes()),
            passes(2, says(out, 101, 501, "PORT 200,100,50,25,19,136\r\n")));
  EXPECT_EQ(send(1, says({}, 101, 501, "PORT 10,0,0,1,19,136\r\n").bytes()),
            passes(2, says(out, 101, 501, "PORT 200,100,50,25,19,136\r\n")))
      << "sent again";
  EXPECT_EQ(send(2, syn(kServer, kPublic, 5000).bytes()), passes(1, syn(kServer, kClient, 5000)));
  // 22 bytes have become 27.
  EXPECT_EQ(send(2, says(back(out), 501, 128, "200 OK\r\n").bytes()),
            passes(1, says(back({}), 501, 123, "200 OK\r\n")));
  EXPECT_EQ(send(1, says({}, 123, 509, "RETR x\r\n").bytes()),
            passes(2, says(out, 128, 509, "RETR x\r\n")));
}

TEST_F(DatapathHelperTest, SelectiveAcknowledgementsAreShiftedToo) {
  add_gateway(21, nat_to(NatAction::Kind::kSource, kPublic));
  const Segment out{.src = kPublic};
  open({}, out);
  send(1, says({}, 101, 501, "PORT 10,0,0,1,19,136\r\n").bytes());
  Segment from = says(back(out), 501, 128, ""), to = says(back({}), 501, 123, "");
  from.options = {1, 1, 5, 10, 0, 0, 0, 138, 0, 0, 0, 148};
  to.options = {1, 1, 5, 10, 0, 0, 0, 133, 0, 0, 0, 143};
  EXPECT_EQ(send(2, from.bytes()), passes(1, to));
}

TEST_F(DatapathHelperTest, UnderDestinationNatAPassiveReplyNamesTheAddressThatTheClientKnows) {
  add_gateway(21, nat_to(NatAction::Kind::kDestination, kServer));
  const Segment in{.dst = kPublic};
  open(in, {});
  EXPECT_EQ(send(2, says(back({}), 501, 101, "227 Passive (10,0,0,2,19,136)\r\n").bytes()),
            passes(1, says(back(in), 501, 101, "227 Passive (200,100,50,25,19,136)\r\n")));
  Segment data = syn(kClient, kPublic, 5000);
  EXPECT_EQ(send(1, data.bytes()), passes(2, syn(kClient, kServer, 5000)));
  EXPECT_EQ(send(1, says(in, 101, 537, "NOOP\r\n").bytes()),
            passes(2, says({}, 101, 532, "NOOP\r\n")));
}

TEST_F(DatapathHelperTest, AnExtendedPassiveReplyIsUnderstoodAndLeftAsItIs) {
  add_gateway(21, nat_to(NatAction::Kind::kSource, kPublic));
  const Segment out{.src = kPublic};
  open({}, out);
  constexpr std::string_view kReply = "229 Extended Passive (|||5000|)\r\n";
  EXPECT_EQ(send(2, says(back(out), 501, 101, kReply).bytes()),
            passes(1, says(back({}), 501, 101, kReply)));
  EXPECT_EQ(send(1, syn(kClient, kServer, 5000).bytes()), passes(2, syn(kPublic, kServer, 5000)));
  std::size_t count = 0;
  expectations_of(*datapath_)->walk({}, [&](const ExpectationReport& e) {
    ++count;
    EXPECT_EQ(e.tuple.dst_port, 5000);
    EXPECT_EQ(e.parent.dst_port, 21);
  });
  EXPECT_EQ(count, 1u);
}

TEST_F(DatapathHelperTest, ATransferThatWasAskedForComesFromAnyPortOfTheServer) {
  add_gateway(69, nat_to(NatAction::Kind::kSource, kPublic));
  const auto udp = [](Be32 src, Be32 dst, std::uint16_t src_port, std::uint16_t dst_port) {
    return Packet()
        .eth()
        .ipv4({.src = src, .dst = dst})
        .udp({.src = src_port, .dst = dst_port})
        .payload(Bytes{0, 1, 'x', 0, 'o', 'c', 't', 'e', 't', 0})
        .bytes();
  };
  const auto out = [](std::uint32_t port, const Bytes& frame) { return Sent{{port, {frame}}}; };
  EXPECT_EQ(send(1, udp(kClient, kServer, 1000, 69)), out(2, udp(kPublic, kServer, 1000, 69)));
  EXPECT_EQ(send(2, udp(kServer, kPublic, 3333, 1000)), out(1, udp(kServer, kClient, 3333, 1000)));
  EXPECT_EQ(send(1, udp(kClient, kServer, 1000, 3333)), out(2, udp(kPublic, kServer, 1000, 3333)));
  EXPECT_EQ(send(2, udp(kServer, kPublic, 3333, 1001)), Sent{});
}

}  // namespace
}  // namespace hoist::test
