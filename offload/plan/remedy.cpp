// SPDX-License-Identifier: BSD-3-Clause
#include "plan/remedy.hpp"

namespace hoist::offload {

std::string_view remedy(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::kNone:
      return "";
    case Refusal::kDisabled:
      return "switch offload on: hoistctl offload enable [BRIDGE PORT]";
    case Refusal::kNoPort:
      return "give the bridge a port whose NIC takes rules; hoistctl nic show says why one takes "
             "none";
    case Refusal::kFieldUnsupported:
      return "match without that field or mask, or use a NIC that has it: hoistctl nic show lists "
             "what this one matches";
    case Refusal::kActionUnsupported:
      return "leave that action to rules that few packets hit, or use a NIC that has it: hoistctl "
             "nic "
             "show lists what this one does";
    case Refusal::kGroupUnsupported:
      return "put the rules of that table into table 0, or use a NIC with groups";
    case Refusal::kOtherDomain:
      return "output to a port of the switch domain that the packets come in at";
    case Refusal::kShadowed:
      return "bring the rule above it into hardware, or lower its priority, or narrow either so "
             "that "
             "they no longer overlap";
    case Refusal::kTableFull:
      return "more traffic on this rule than on the coldest that has room, fewer rules, or a "
             "larger "
             "NIC";
    case Refusal::kPriorityRange:
      return "fewer rules that overlap one above the other";
    case Refusal::kMeterInSoftware:
      return "a meter lives where all its rules can: bring the others into hardware too, or give "
             "them "
             "a meter of their own; hoistctl nic show says how many meters the NIC has";
    case Refusal::kNicRejected:
      return "what the NIC names; if it may pass, hoistd tries again by itself";
    case Refusal::kPending:
      return "a moment";
  }
  return "";
}

}  // namespace hoist::offload
