// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "install/flow_port.hpp"
#include "translate/admission.hpp"
#include "translate/context.hpp"
#include "translate/layout.hpp"

namespace hoist::offload {

/// The rules before table 0: they bring a bridge's packets into hardware and keep hazards out.
/// Closed, all packets are in software, whatever else stands in the NIC; so everything large is
/// done closed. Offload thread.
///
/// With groups: group 0 jumps, per ingress port, to table 0 or to the admission group before it. In
/// a one-group NIC a first rule that hands everything over closes it.
class Steering {
 public:
  Steering(const FlowPort& port, const Layout& layout) : port_(port), layout_(layout) {}

  /// Lets the packets of the ports in. On failure it is closed.
  [[nodiscard]] FlowResult<void> open(const Context& context, const HazardSet& hazards);
  /// Keeps more hazards out, while packets run.
  [[nodiscard]] FlowResult<void> grow(const Context& context, const HazardSet& hazards);
  /// Fails only if the NIC keeps a rule.
  [[nodiscard]] FlowResult<void> close(const Context& context);
  /// Closes, and leaves nothing in the NIC. What the NIC keeps is kept in mind: to be called again.
  [[nodiscard]] FlowResult<void> clear(const Context& context);
  /// The port has gone, and its handles with it.
  void forget();

  /// Every rule of it that stands.
  template <class Visit>
  void visit(Visit visit) const {
    for (const FlowHandle& handle : entrances_) visit(handle);
    for (const Row& row : rows_) visit(row.handle);
    for (const FlowHandle& handle : exits_) visit(handle);
  }

  [[nodiscard]] bool is_empty() const noexcept { return rule_count() == 0; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] std::size_t rule_count() const noexcept {
    return entrances_.size() + rows_.size() + exits_.size();
  }

 private:
  struct Row {
    AdmissionRow row;
    FlowHandle handle;
  };
  [[nodiscard]] FlowResult<void> admit(const Context& context, const HazardSet& hazards);
  [[nodiscard]] FlowResult<void> enter(const Context& context, std::uint32_t group);
  [[nodiscard]] FlowResult<void> make_exits(const Context& context);
  [[nodiscard]] FlowResult<void> pause(const Context& context);
  [[nodiscard]] FlowResult<void> destroy_all(std::vector<FlowHandle>& handles);
  [[nodiscard]] HwRule row_rule(const AdmissionRow& row, const Context& context) const;

  const FlowPort& port_;
  const Layout& layout_;
  std::vector<FlowHandle> entrances_;  ///< Group 0; in a one-group NIC: the pause.
  std::vector<Row> rows_;
  std::vector<FlowHandle>
      exits_;  ///< The group that hands over: one a port, where the NIC has the action.
  std::uint32_t entered_ = 0;  ///< Group that the entrances lead to.
  std::uint32_t entrance_priority_ = 0;
  bool is_open_ = false;
};

}  // namespace hoist::offload
