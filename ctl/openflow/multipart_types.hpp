// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hoist::openflow {

/// OFPMP_* (OpenFlow 1.3, 7.3.5; 1.4 from kTableDesc on); OpenFlow 1.0's OFPST_* are the first six.
enum class Multipart : std::uint16_t {
  kDesc,
  kFlow,
  kAggregate,
  kTable,
  kPort,
  kQueue,
  kGroup,
  kGroupDesc,
  kGroupFeatures,
  kMeter,
  kMeterConfig,
  kMeterFeatures,
  kTableFeatures,
  kPortDesc,
  kTableDesc,
  kQueueDesc,
  kFlowMonitor,
  kExperimenter = 0xffff,
};

/// NXST_* (nicira-ext.h).
enum class NiciraStats : std::uint32_t { kFlow, kAggregate, kFlowMonitor };

/// NXT_* (nicira-ext.h).
enum class NiciraMessage : std::uint32_t {
  kRoleRequest = 10,
  kRoleReply,
  kSetFlowFormat,
  kFlowMod,
  kFlowRemoved,
  kFlowModTableId,
  kSetPacketInFormat,
  kPacketIn,
  kFlowAge,
  kSetAsyncConfig,
  kSetControllerId,
  kFlowMonitorCancel,
  kSetAsyncConfig2 = 27,
  kCtFlushZone = 29,
  kPacketIn2 = 30,
  kCtFlush = 32,
};

/// ONF extension 230's messages on OpenFlow 1.3.
inline constexpr std::uint32_t kOnfBundleControl = 2300;
inline constexpr std::uint32_t kOnfBundleAdd = 2301;

}  // namespace hoist::openflow
