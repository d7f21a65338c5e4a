// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_book.hpp"
#include "translate/program_builder.hpp"

namespace hoist::offload {
namespace {

/// Says whether every packet that matches comes from a port of this domain: another's would be
/// policed elsewhere.
bool is_of_domain(const ProgramBuilder& builder) {
  const PortMap& ports = builder.context.ports;
  const std::uint32_t mask = builder.match.mask.in_port.host();
  if (mask == UINT32_MAX) {
    const DomainPort* port = ports.find(PortNo{builder.match.value.in_port.host()});
    return port != nullptr && port->is_member;
  }
  for (const DomainPort& port : ports.ports) {
    if (!port.is_member) return false;
  }
  return true;
}

}  // namespace

void meter(ProgramBuilder& builder, const RuleSpec& rule, MeterId id) {
  const auto refuse = [&](const std::string& why) {
    const Refused refused = meter_refused(id, why);
    builder.refuse(refused.refusal, refused.reason);
  };
  if (builder.context.meters == nullptr) return builder.refuse_action("meter");
  if (!only_meter(*rule.instructions)) return refuse("a rule has several meters");
  if (builder.program.rewrites.count != 0 || builder.has_fate) {
    return refuse("it stands behind other actions");
  }
  if (rule.table_id != 0) return refuse("software, too, may reach its rule's table");
  if (!is_of_domain(builder)) {
    return refuse("its rules' packets come from other ports than " + builder.context.ports.label +
                  ", too");
  }
  const auto form = builder.context.meters->form(id);
  if (const auto* refused = std::get_if<Refused>(&form)) {
    return builder.refuse(refused->refusal, refused->reason);
  }
  builder.program.meter = id;
}

}  // namespace hoist::offload
