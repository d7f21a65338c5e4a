// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hoist/instructions.hpp"
#include "openflow/oxm.hpp"

/// Actions and instructions of all wire forms.
namespace hoist::openflow {

/// Reads actions until `bytes` ends and appends them to `instructions.apply_actions`.
/// NXAST_WRITE_METADATA, which is an instruction in Nicira's clothes, goes to `write_metadata`.
[[nodiscard]] Decoded<void> read_actions(ByteSpan bytes, Version version,
                                         Instructions& instructions);
/// Reads instructions (OpenFlow 1.3, 7.2.4) until `bytes` ends; of OpenFlow 1.0, actions.
[[nodiscard]] Decoded<void> read_instructions(ByteSpan bytes, Version version,
                                              Instructions& instructions);

/// Reads one Nicira or ONF action, the whole of it: `| 0xffff 2 | length 2 | vendor 4 | subtype 2
/// |`.
[[nodiscard]] Decoded<void> read_vendor_action(ByteSpan action, Version version,
                                               Instructions& instructions);
/// Reads NXAST_CT from behind its subtype on, with the actions inside it.
[[nodiscard]] Decoded<void> read_ct(Reader in, Version version, ActionList& out);

/// Bits of a field as the wire names them, not yet checked.
struct Subfield {
  const Field& field;
  std::uint16_t start;
  std::uint16_t count;
};
/// Refuses bits outside the field, and a target that cannot be written.
[[nodiscard]] Decoded<FieldBits> checked_bits(Subfield bits, bool is_target);
[[nodiscard]] Decoded<void> add_move(Subfield source, Subfield target, ActionList& out);
/// Reads OFPAT_COPY_FIELD (1.5) or ONFACT_COPY_FIELD (ONF extension 320) from its bit count on.
[[nodiscard]] Decoded<void> read_copy_field(Reader in, ActionList& out);

/// Appends actions in the form of `version`; what it cannot say is left out or said as Open vSwitch
/// does. `has_vlan`: the rule's match demands a tag, so that set_vlan_vid need push none.
void put_actions(Bytes& out, const ActionList& actions, Version version, bool has_vlan);
/// Appends instructions; of OpenFlow 1.0, actions.
void put_instructions(Bytes& out, const Instructions& instructions, Version version, bool has_vlan);

// Nicira's actions, for the encoders above.

/// Appends NXAST_REG_LOAD for each run of bits of up to 64, or one NXAST_REG_LOAD2.
void put_reg_load(Bytes& out, const SetFieldAction& action);
void put_reg_load2(Bytes& out, const SetFieldAction& action);
void put_write_metadata_action(Bytes& out, std::uint64_t value, std::uint64_t mask);
/// Appends an action that only Nicira has; says whether `action` is one.
bool put_nicira_action(Bytes& out, const Action& action);
/// Appends an action that is Nicira's in OpenFlow 1.0 and standard later; says whether it is one.
bool put_nicira_of10_action(Bytes& out, const Action& action);
/// Appends NXAST_CT; what it does to mark and label in the form of `version`.
void put_ct(Bytes& out, const CtAction& action, Version version);
/// Appends NXAST_SET_TUNNEL and such; NXAST_REG_LOAD where there is no action of its own.
void put_nicira_legacy_set(Bytes& out, const SetFieldAction& action);

}  // namespace hoist::openflow
