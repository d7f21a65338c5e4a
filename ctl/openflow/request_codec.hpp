// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "openflow/codec.hpp"
#include "openflow/wire.hpp"

/// The parts of decode(). Each reader stands after what the caller has read already.
namespace hoist::openflow {

/// OpenFlow 1.3 and later, after the header.
[[nodiscard]] Decoded<FlowMod> decode_flow_mod(Reader in, Version version);
/// OpenFlow 1.0, after the header.
[[nodiscard]] Decoded<FlowMod> decode_of10_flow_mod(Reader in, bool has_table_id);
/// NXT_FLOW_MOD, after the subtype.
[[nodiscard]] Decoded<FlowMod> decode_nicira_flow_mod(Reader in, bool has_table_id);

/// Packet-outs, after the header.
[[nodiscard]] Decoded<PacketOut> decode_packet_out(Reader in, Version version);

/// OFPT_METER_MOD (OpenFlow 1.3, 7.3.4.4), after the header.
[[nodiscard]] Decoded<MeterMod> decode_meter_mod(Reader in);

/// Statistics and other multipart requests, after the header.
[[nodiscard]] Decoded<Request> decode_multipart(Reader in, Version version);

/// Nicira and ONF messages (OFPT_VENDOR, OFPT_EXPERIMENTER), after the header.
[[nodiscard]] Decoded<Request> decode_vendor(Reader in, Dialect dialect);

/// Properties of OFPT_SET_ASYNC (OpenFlow 1.4, 7.3.10) and NXT_SET_ASYNC_CONFIG2.
[[nodiscard]] Decoded<SetAsync> decode_async_properties(Reader in);
/// The six masks of OpenFlow 1.3's OFPT_SET_ASYNC and NXT_SET_ASYNC_CONFIG.
[[nodiscard]] Decoded<SetAsync> decode_async_masks(Reader in);
/// NXT_CT_FLUSH and NXT_CT_FLUSH_ZONE (nicira-ext.h), after the subtype.
[[nodiscard]] Decoded<Request> decode_ct_flush(Reader in);
[[nodiscard]] Decoded<Request> decode_ct_flush_zone(Reader in);
/// OFPT_BUNDLE_CONTROL and OFPT_BUNDLE_ADD_MESSAGE (1.4, 7.3.9; ONF extension 230).
[[nodiscard]] Decoded<Request> decode_bundle_control(Reader in);
[[nodiscard]] Decoded<Request> decode_bundle_add(Reader in);

}  // namespace hoist::openflow
