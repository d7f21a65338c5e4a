// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/interpreter.hpp"

#include <algorithm>

#include "support/reference/execution.hpp"

namespace hoist::reference {

void Interpreter::apply(std::span<const RuleChange> changes) {
  for (const RuleChange& change : changes) {
    FlowTable& table = tables_[change.rule->table_id];
    if (change.kind == RuleChange::Kind::kAdd) {
      table.add(change.rule);
    } else {
      table.remove(change.rule->id);
    }
  }
}

void Interpreter::set_port_flags(PortNo number, std::uint32_t flags) {
  for (Port& port : ports_) {
    if (port.number == number) port.flags = flags;
  }
}

Fate Interpreter::receive(PortNo in_port, const Bytes& frame) {
  Execution execution(*this, in_port, frame);
  execution.run_pipeline();
  return execution.finish();
}

Fate Interpreter::packet_out(PortNo in_port, const Bytes& frame, const ActionList& actions) {
  Execution execution(*this, in_port, frame);
  execution.run_packet_out(actions);
  return execution.finish();
}

const Interpreter::Port* Interpreter::find_port(PortNo number) const {
  const auto it = std::ranges::find(ports_, number, &Port::number);
  return it == ports_.end() ? nullptr : &*it;
}

}  // namespace hoist::reference
