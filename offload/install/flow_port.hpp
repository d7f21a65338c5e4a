// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "hoist/rule.hpp"
#include "hoist/types.hpp"
#include "translate/hw_rule.hpp"
#include "translate/refused.hpp"

struct rte_flow;

namespace hoist::offload {

/// Why DPDK or the NIC did not do it.
struct FlowFailure {
  bool is_full = false;       ///< No room: the same may work when something else has gone.
  bool is_transient = false;  ///< May work later.
  Refused why;
};
template <class T>
using FlowResult = tl::expected<T, FlowFailure>;

/// A rule in the NIC. The owner destroys it through its FlowPort, or forgets it when the port is
/// gone.
struct FlowHandle {
  rte_flow* flow = nullptr;
  bool counts = false;
  TrafficCount read;  ///< What was read of its counter last.
};

/// The ethdev that takes a domain's rules, and all calls of rte_flow that install/ makes. Offload
/// thread.
class FlowPort {
 public:
  FlowPort(EthdevId ethdev, std::vector<std::uint16_t> queues)
      : ethdev_(ethdev), queues_(std::move(queues)) {}

  [[nodiscard]] EthdevId ethdev() const noexcept { return ethdev_; }
  /// Whether handles may still be touched.
  [[nodiscard]] bool is_there() const noexcept;

  [[nodiscard]] FlowResult<void> validate(const HwRule& rule) const;
  [[nodiscard]] FlowResult<FlowHandle> create(const HwRule& rule) const;
  /// On success the handle is empty.
  [[nodiscard]] FlowResult<void> destroy(FlowHandle& handle) const;
  /// Whether the NIC still has the rule. Fails with its reason; true: the driver has no way to
  /// tell.
  [[nodiscard]] FlowResult<bool> is_unknown(const FlowHandle& handle) const;
  /// What the counter has gained since it was last read.
  [[nodiscard]] TrafficCount read(FlowHandle& handle) const;

 private:
  EthdevId ethdev_;
  std::vector<std::uint16_t> queues_;
};

}  // namespace hoist::offload
