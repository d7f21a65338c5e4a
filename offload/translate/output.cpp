// SPDX-License-Identifier: BSD-3-Clause
// output: to one port of the ingress port's switch domain.
#include "translate/program_builder.hpp"

namespace hoist::offload {
namespace {

const char* reserved_name(PortNo port) {
  switch (port) {
    case PortNo::kTable:
      return "output to TABLE";
    case PortNo::kNormal:
      return "normal";
    case PortNo::kFlood:
      return "flood";
    case PortNo::kAll:
      return "output to ALL";
    case PortNo::kController:
      return "controller";
    case PortNo::kLocal:
      return "output to LOCAL";
    case PortNo::kAny:
      return "output to ANY";
    default:
      return nullptr;
  }
}

const DomainPort* ingress(const ProgramBuilder& builder) {
  if (builder.match.mask.in_port.wire() != 0xffffffff) return nullptr;
  return builder.context.ports.find(PortNo{builder.match.value.in_port.host()});
}

void send(ProgramBuilder& builder, const DomainPort& port) {
  const Capabilities& capabilities = builder.context.capabilities;
  if (!capabilities.has(Feature::kTransfer) || capabilities.output_port == PortOutput::kNone) {
    builder.refuse_on_port("output");
    return;
  }
  if (!port.is_member) {
    builder.refuse(Refusal::kOtherDomain, "action: " + port.name +
                                              " lies outside the switch domain of " +
                                              builder.context.ports.label);
    return;
  }
  if (!port.can_egress) {
    builder.refuse_action("output to " + port.name + ", which is down,");
    return;
  }
  builder.program.fate = HwFate{.kind = HwFate::Kind::kPort, .ethdev = port.ethdev};
}

}  // namespace

void output(ProgramBuilder& builder, PortNo number) {
  const DomainPort* from = ingress(builder);
  if (const char* name = reserved_name(number)) {
    builder.refuse_action(name);
  } else if (builder.has_fate) {
    builder.refuse_on_port("more than one output");
  } else if (number == PortNo::kInPort) {
    if (from == nullptr) {
      builder.refuse_action("output to IN_PORT without a match on in_port");
    } else {
      send(builder, *from);
    }
  } else if (from != nullptr && from->number == number) {
    builder.program.fate = HwFate{};  // OpenFlow 1.3, 4.5: never back to where it came from
  } else if (const DomainPort* port = builder.context.ports.find(number)) {
    send(builder, *port);
    if (from == nullptr) builder.program.never_back = port->ethdev;
  } else {
    builder.refuse_action("output to port " + std::to_string(to_integer(number)) +
                          ", which is not there,");
  }
  builder.has_fate = true;
}

}  // namespace hoist::offload
