// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openflow/bridge.hpp"
#include "openflow/codec.hpp"

namespace hoist::openflow {

/// Answers a request for meters a slice at a time, as FlowDump does. Control thread.
template <class Reply>
class MeterDump {
 public:
  enum class Progress : std::uint8_t { kDone, kMore, kHeld };

  MeterDump(Bytes& out, Envelope to, MeterId meter, Bridge& bridge)
      : bridge_(bridge), ids_(bridge.meters().select(meter)), reply_(out, to) {}
  /// Writes the next slice. kHeld: nothing, because workers have been asked for enough lately.
  Progress write_slice();

 private:
  /// How many of `wanted` meters may be written now.
  std::size_t allowance(std::size_t wanted);
  void add(const MeterRegistry::Meter& meter);

  Bridge& bridge_;
  std::vector<MeterId> ids_;
  std::size_t next_ = 0;
  Reply reply_;
};
using MeterStatsDump = MeterDump<MeterStatsReply>;    ///< For a MeterStatsRequest.
using MeterConfigDump = MeterDump<MeterConfigReply>;  ///< For a MeterConfigRequest.

}  // namespace hoist::openflow
