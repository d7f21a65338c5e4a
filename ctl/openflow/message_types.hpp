// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hoist::openflow {

/// OFPT_* of OpenFlow 1.3 and later (7.1). Up to kFlowMod 1.0 has the same numbers.
enum class Type : std::uint8_t {
  kHello,
  kError,
  kEchoRequest,
  kEchoReply,
  kExperimenter,
  kFeaturesRequest,
  kFeaturesReply,
  kGetConfigRequest,
  kGetConfigReply,
  kSetConfig,
  kPacketIn,
  kFlowRemoved,
  kPortStatus,
  kPacketOut,
  kFlowMod,
  kGroupMod,
  kPortMod,
  kTableMod,
  kMultipartRequest,
  kMultipartReply,
  kBarrierRequest,
  kBarrierReply,
  kQueueGetConfigRequest,
  kQueueGetConfigReply,
  kRoleRequest,
  kRoleReply,
  kGetAsyncRequest,
  kGetAsyncReply,
  kSetAsync,
  kMeterMod,
  kRoleStatus,
  kTableStatus,
  kRequestForward,
  kBundleControl,
  kBundleAddMessage,
};

/// OFPT_* of OpenFlow 1.0 (5.1) where they differ.
enum class Of10Type : std::uint8_t {
  kPortMod = 15,
  kStatsRequest,
  kStatsReply,
  kBarrierRequest,
  kBarrierReply,
  kQueueGetConfigRequest,
  kQueueGetConfigReply,
};

}  // namespace hoist::openflow
