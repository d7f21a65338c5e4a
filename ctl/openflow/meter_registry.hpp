// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hoist/meter.hpp"
#include "openflow/fault.hpp"
#include "openflow/message.hpp"

namespace hoist::openflow {

/// The meters of one bridge as OpenFlow sees them (1.3, 5.7): what was asked for, and since when.
/// Control thread; no planes, no clock.
class MeterRegistry {
 public:
  struct Meter {
    std::shared_ptr<const MeterConfig> config;
    std::uint64_t created_ms = 0;
    TrafficCount in;       ///< What hardware has counted.
    TrafficCount dropped;  ///< Likewise, by the only band that a meter there has.
  };

  /// Says what is wrong with an addition or modification; nothing is changed.
  [[nodiscard]] Decoded<void> check(const MeterMod& mod) const;
  /// An addition or modification that check() has let pass.
  const Meter& set(MeterConfig&& config, std::uint64_t now_ms);
  void remove(MeterId id) { meters_.erase(id); }
  void count(const MeterHit& hit);

  [[nodiscard]] const Meter* find(MeterId id) const {
    const auto found = meters_.find(id);
    return found == meters_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::size_t size() const noexcept { return meters_.size(); }
  /// Ids in ascending order; `id` alone if it is not kAll and there is such a meter.
  [[nodiscard]] std::vector<MeterId> select(MeterId id) const;
  [[nodiscard]] static MeterFeatures features();

 private:
  std::unordered_map<MeterId, Meter> meters_;
};

}  // namespace hoist::openflow
