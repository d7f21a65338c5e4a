// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "answer.hpp"
#include "pattern.hpp"
#include "profile.hpp"

namespace emulated_nic {

enum class OpKind : std::uint8_t {
  // Fates: what becomes of the packet once all else is done.
  kDrop,
  kQueue,
  kRss,
  kJump,
  kPort,         ///< Out of the port's wire.
  kRepresentor,  ///< To the application, at a port.
  // The rest, in the order of the list.
  kCount,
  kIndirect,  ///< An indirect action's handle; becomes one of the next two when linked.
  kSharedCount,
  kSharedAge,
  kAge,
  kMark,
  kFlag,
  kSetMeta,
  kSetTag,
  kMeter,
  kSample,
  kPopVlan,
  kPushVlan,
  kSetVlanVid,
  kSetVlanPcp,
  kSetMacSrc,
  kSetMacDst,
  kSwapMac,
  kSetIpv4Src,
  kSetIpv4Dst,
  kSetIpv6Src,
  kSetIpv6Dst,
  kSetTpSrc,
  kSetTpDst,
  kSetTtl,
  kDecTtl,
  kSetIpv4Dscp,
  kSetIpv6Dscp,
  kModify,
};

/// One action, compiled. `bytes` are in wire order where they go to the packet.
struct Op {
  OpKind kind;
  std::uint8_t index = 0;    ///< TAG; or entry of Extras.
  std::uint16_t port = 0;    ///< Port or queue; TPID, VID.
  std::uint32_t number = 0;  ///< Group, mark, meter, handle, register value.
  union {
    std::array<std::uint8_t, 16> bytes{};
    std::uint32_t mask;  ///< Of register writes.
    void* target;        ///< Group, Indirect or Meter, once the rule is linked.
  };
};

struct RssSpec {
  std::vector<std::uint16_t> queues;
  std::uint64_t types = 0;
};

struct Program;

/// MODIFY_FIELD: `width` bits from one place to another.
struct Modify {
  rte_flow_action_modify_field conf;
  std::array<std::uint8_t, 16> value;  ///< Immediate source.
};

/// What few rules have.
struct Extras {
  RssSpec rss;
  std::vector<Modify> modifies;
  std::unique_ptr<Program> sample;
};

struct Program {
  std::vector<Op> ops;
  std::unique_ptr<Extras> extras;
  bool has_count = false;
  bool has_age = false;
  std::uint32_t age_timeout_s = 0;
  void* age_context = nullptr;
};

/// What actions are checked against besides the profile.
struct ActionScope {
  const Profile& profile;
  std::uint16_t port;
  std::uint16_t rx_queue_count;
  const rte_flow_attr& attr;
  const Pattern& pattern;
  bool (*is_port)(std::uint16_t port);  ///< Whether it is an emulated port, of the switch domain.
};

/// Compiles an action list, or says which action the NIC does not take and why. Jumps, handles and
/// meters are numbers still: whether they exist is for the caller to find out.
[[nodiscard]] Answer<Program> compile_actions(const ActionScope& scope,
                                              const rte_flow_action* actions);

}  // namespace emulated_nic
