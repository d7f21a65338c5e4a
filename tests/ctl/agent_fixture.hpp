// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent_fakes.hpp"
#include "openflow/session.hpp"

namespace hoist::openflow {

/// Bytes of a message, big-endian.
class MessageBytes {
 public:
  MessageBytes(Version version, std::uint8_t type, std::uint32_t xid) {
    u8(static_cast<std::uint8_t>(version)).u8(type).u16(0).u32(xid);
  }
  MessageBytes& u8(std::uint8_t v) {
    bytes_.push_back(v);
    return *this;
  }
  MessageBytes& u16(std::uint16_t v) {
    return u8(static_cast<std::uint8_t>(v >> 8)).u8(static_cast<std::uint8_t>(v));
  }
  MessageBytes& u32(std::uint32_t v) {
    return u16(static_cast<std::uint16_t>(v >> 16)).u16(static_cast<std::uint16_t>(v));
  }
  MessageBytes& u64(std::uint64_t v) {
    return u32(static_cast<std::uint32_t>(v >> 32)).u32(static_cast<std::uint32_t>(v));
  }
  MessageBytes& add(std::span<const std::uint8_t> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  Bytes done() {
    bytes_[2] = static_cast<std::uint8_t>(bytes_.size() >> 8);
    bytes_[3] = static_cast<std::uint8_t>(bytes_.size());
    return bytes_;
  }

 private:
  Bytes bytes_;
};

// OFPT_* of OpenFlow 1.3.
inline constexpr std::uint8_t kHello = 0, kError = 1, kEcho = 2, kSetConfig = 9, kPacketIn = 10,
                              kFlowRemovedType = 11, kFlowMod = 14, kMultipart = 18,
                              kMultipartReply = 19, kBarrier = 20, kBarrierReply = 21,
                              kRoleRequest = 24, kRoleReply = 25;

struct FlowModBytes {
  std::uint8_t command = 0;  ///< OFPFC_*: add 0, delete 3.
  std::uint16_t priority = 100;
  std::uint32_t in_port = 1;
  std::uint32_t out_port = 2;
  std::uint8_t table_id = 0;
  std::uint16_t flags = 0;
  std::uint32_t xid = 7;
};
/// An OpenFlow 1.3 flow mod: in_port=... actions=output:...
inline Bytes flow_mod_message(const FlowModBytes& f) {
  MessageBytes m(Version::kOf13, kFlowMod, f.xid);
  m.u64(0xc0).u64(0).u8(f.table_id).u8(f.command).u16(0).u16(0).u16(f.priority);
  m.u32(0xffffffff).u32(0xffffffff).u32(0xffffffff).u16(f.flags).u16(0);
  m.u16(1).u16(12).u32(0x80000004).u32(f.in_port).u32(0);
  m.u16(4).u16(24).u32(0).u16(0).u16(16).u32(f.out_port).u16(0).u16(0).u32(0);
  return m.done();
}
/// Deletes everything.
inline Bytes delete_all_message(std::uint32_t xid = 8) {
  MessageBytes m(Version::kOf13, kFlowMod, xid);
  m.u64(0).u64(0).u8(0xff).u8(3).u16(0).u16(0).u16(0);
  m.u32(0xffffffff).u32(0xffffffff).u32(0xffffffff).u16(0).u16(0);
  m.u16(1).u16(4).u32(0);
  return m.done();
}

class AgentTest : public testing::Test {
 protected:
  /// A session that has shaken hands in OpenFlow 1.3.
  std::unique_ptr<Session> connect(bool is_service = true) {
    auto session = std::make_unique<Session>(bridge_, Session::Options{.is_service = is_service});
    give(*session, MessageBytes(Version::kOf13, kHello, 1).done());
    session->output().clear();
    return session;
  }
  /// Gives messages in exactly sized memory; returns what was taken.
  static std::size_t give(Session& session, const std::vector<Bytes>& messages) {
    Bytes all;
    for (const Bytes& message : messages) all.insert(all.end(), message.begin(), message.end());
    all.shrink_to_fit();
    return session.receive(all);
  }
  static std::size_t give(Session& session, const Bytes& message) {
    return give(session, std::vector<Bytes>{message});
  }
  /// Types of the messages that wait to be sent; takes them out.
  static std::vector<int> take_types(Session& session) {
    std::vector<int> types;
    for (std::span<const std::uint8_t> rest = session.output(); !rest.empty();) {
      types.push_back(rest[1]);
      rest = rest.subspan(Header::read(rest)->length);
    }
    session.output().clear();
    return types;
  }
  void settle() {
    datapath_.settle();
    flow_manager_.settle();
  }

  FakeDatapath datapath_;
  FakeFlowManager flow_manager_;
  RuleSlab slab_{1000};
  InstructionPool pool_;
  Planes planes_{datapath_, flow_manager_, slab_};
  Bridge bridge_{{.name = "br0", .id = BridgeId{0}, .datapath_id = 0x42}, planes_, slab_, pool_};
};

}  // namespace hoist::openflow
