// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "openflow/bridge.hpp"
#include "openflow/codec.hpp"

namespace hoist::openflow {

/// Answers a request for meters a slice at a time, as FlowDump does. Control thread.
template <class Reply>
class MeterDump {
 public:
  MeterDump(Bytes& out, Envelope to, MeterId meter, const Bridge& bridge)
      : bridge_(bridge), ids_(bridge.meters().select(meter)), reply_(out, to) {}
  /// Writes the next slice; returns whether it was the last.
  bool write_slice();

 private:
  void add(const MeterRegistry::Meter& meter);

  const Bridge& bridge_;
  std::vector<MeterId> ids_;
  std::size_t next_ = 0;
  Reply reply_;
};
using MeterStatsDump = MeterDump<MeterStatsReply>;    ///< For a MeterStatsRequest.
using MeterConfigDump = MeterDump<MeterConfigReply>;  ///< For a MeterConfigRequest.

}  // namespace hoist::openflow
