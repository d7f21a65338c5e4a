// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/field.hpp"
#include "support/reference/layers.hpp"

namespace hoist::reference {

/// Changes of a frame, each complete in itself: headers moved, lengths kept, checksums repaired.
/// What the frame has no header for is left alone, as ovs-actions(7) has it.

/// Writes the bits of `value` under `mask` into a field that lies in the frame.
void write_field(Bytes& frame, FieldId id, const FieldValue& value, const FieldValue& mask);

/// A new outermost tag with the VID and priority of the tag that was outermost, else 0
/// (OpenFlow 1.3, 5.12, table 7).
void push_vlan(Bytes& frame, std::uint16_t tpid);
void pop_vlan(Bytes& frame);
/// Writes VID and priority under `mask`, into a new 802.1Q tag if there is none.
void set_or_push_vlan(Bytes& frame, std::uint16_t tci, std::uint16_t mask);

/// A new outermost label stack entry, behind the tags: label, TC and TTL of the entry that was
/// outermost, else label and TC 0 and the IP TTL, else 0 (OpenFlow 1.3, 5.12, table 7).
void push_mpls(Bytes& frame, std::uint16_t ethertype);
void pop_mpls(Bytes& frame, std::uint16_t ethertype);

/// Takes one off the IP TTL or hop limit. Says whether the packet may go on: not with a TTL of 0 or
/// 1, which is left as it is.
[[nodiscard]] bool decrement_ip_ttl(Bytes& frame);
[[nodiscard]] bool decrement_mpls_ttl(Bytes& frame);

/// Between the outermost label and what lies below it: the next label, or an IP header. Nothing
/// happens where one of the two is missing.
void copy_ttl_out(Bytes& frame);
void copy_ttl_in(Bytes& frame);

}  // namespace hoist::reference
