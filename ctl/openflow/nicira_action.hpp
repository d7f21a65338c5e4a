// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hoist::openflow {

/// NXAST_*: subtypes of Nicira's actions (ovs-actions(7), nicira-ext.h).
enum class NiciraAction : std::uint16_t {
  kResubmit = 1,
  kSetTunnel = 2,
  kSetQueue = 4,
  kPopQueue = 5,
  kRegMove = 6,
  kRegLoad = 7,
  kNote = 8,
  kSetTunnel64 = 9,
  kMultipath = 10,
  kBundle = 12,
  kBundleLoad = 13,
  kResubmitTable = 14,
  kOutputReg = 15,
  kLearn = 16,
  kExit = 17,
  kDecTtl = 18,
  kFinTimeout = 19,
  kController = 20,
  kDecTtlCntIds = 21,
  kWriteMetadata = 22,
  kPushMpls = 23,
  kPopMpls = 24,
  kSetMplsTtl = 25,
  kDecMplsTtl = 26,
  kStackPush = 27,
  kStackPop = 28,
  kSample = 29,
  kSetMplsLabel = 30,
  kSetMplsTc = 31,
  kOutputReg2 = 32,
  kRegLoad2 = 33,
  kConjunction = 34,
  kCt = 35,
  kNat = 36,
  kController2 = 37,
  kSample2 = 38,
  kOutputTrunc = 39,
  kGroup = 40,
  kSample3 = 41,
  kClone = 42,
  kCtClear = 43,
  kResubmitTableCt = 44,
  kLearn2 = 45,
  kEncap = 46,
  kDecap = 47,
  kDecNshTtl = 48,
  kCheckPktLarger = 49,
  kDeleteField = 50,
};

/// NXAC2PT_*: properties of NXAST_CONTROLLER2.
enum class ControllerProperty : std::uint16_t {
  kMaxLen,
  kControllerId,
  kReason,
  kUserdata,
  kPause,
  kMeterId
};

}  // namespace hoist::openflow
