// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <vector>

#include "hoist/rule.hpp"
#include "install/flow_port.hpp"
#include "meter/meter_form.hpp"

namespace hoist::offload {

/// The meters of one domain on its ethdev, and all calls of rte_mtr. Offload thread.
class MeterPort {
 public:
  /// `slot`: of the domain, so that domains on one ethdev use numbers of their own.
  MeterPort(EthdevId ethdev, std::uint32_t slot) : ethdev_(ethdev), first_id_(slot << kSlotShift) {}

  [[nodiscard]] MeterCapabilities capabilities() const;
  /// The new meter's number, for RTE_FLOW_ACTION_TYPE_METER.
  [[nodiscard]] FlowResult<std::uint32_t> create(const MeterForm& form);
  /// Gives a meter another rate; what it has counted stays.
  [[nodiscard]] FlowResult<void> update(std::uint32_t id, const MeterForm& form);
  /// No rule may use it any more.
  void destroy(std::uint32_t id);
  /// What it has dropped since it was last read.
  [[nodiscard]] TrafficCount read_dropped(std::uint32_t id) const;
  /// The ethdev has gone, and all this with it.
  void forget();

 private:
  static constexpr unsigned kSlotShift = 24;
  struct Profile {
    std::uint32_t id;
    std::uint32_t user_count;
  };
  FlowResult<std::uint32_t> take_profile(const MeterForm& form);
  void release_profile(const MeterForm& form);
  FlowResult<void> open_policy();
  std::uint32_t take_id();

  EthdevId ethdev_;
  std::uint32_t first_id_;
  std::uint32_t next_id_ = 1;
  std::vector<std::uint32_t> free_ids_;  ///< Of profiles and meters alike.
  bool has_policy_ = false;
  std::map<MeterForm, Profile> profiles_;
  absl::flat_hash_map<std::uint32_t, MeterForm> meters_;
};

}  // namespace hoist::offload
