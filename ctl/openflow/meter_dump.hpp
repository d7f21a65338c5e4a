// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "openflow/bridge.hpp"
#include "openflow/codec.hpp"

namespace hoist::openflow {

/// Answers a MeterStatsRequest a slice at a time, as FlowDump does. Control thread.
class MeterStatsDump {
 public:
  MeterStatsDump(Bytes& out, Envelope to, MeterId meter, const Bridge& bridge)
      : bridge_(bridge), ids_(bridge.meters().select(meter)), reply_(out, to) {}
  /// Writes the next slice; returns whether it was the last.
  bool write_slice();

 private:
  const Bridge& bridge_;
  std::vector<MeterId> ids_;
  std::size_t next_ = 0;
  MeterStatsReply reply_;
};

/// The same for a MeterConfigRequest.
class MeterConfigDump {
 public:
  MeterConfigDump(Bytes& out, Envelope to, MeterId meter, const Bridge& bridge)
      : bridge_(bridge), ids_(bridge.meters().select(meter)), reply_(out, to) {}
  bool write_slice();

 private:
  const Bridge& bridge_;
  std::vector<MeterId> ids_;
  std::size_t next_ = 0;
  MeterConfigReply reply_;
};

}  // namespace hoist::openflow
