// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "hoist/workers.hpp"

namespace hoist::software {

/// DPDK telemetry of a datapath's workers while this lives: `/hoist/worker/list` (cores) and
/// `/hoist/worker/stats,CORE`. Control thread makes it; DPDK's telemetry thread calls `read`, which
/// must be callable from there. Of several datapaths the first one speaks.
class WorkerTelemetry {
 public:
  struct Entry {
    unsigned core;
    std::function<WorkerCounts()> read;
  };
  explicit WorkerTelemetry(std::vector<Entry> workers);
  ~WorkerTelemetry();
  WorkerTelemetry(const WorkerTelemetry&) = delete;
  WorkerTelemetry& operator=(const WorkerTelemetry&) = delete;
};

}  // namespace hoist::software
