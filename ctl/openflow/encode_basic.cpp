// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/port_encode.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

std::uint8_t number(Type type) noexcept { return to_integer(type); }
std::uint8_t number(Version version, Of10Type of10, Type later) noexcept {
  return version == Version::kOf10 ? to_integer(of10) : to_integer(later);
}

void encode_data(Bytes& out, Envelope to, Type type, ByteSpan data) {
  const std::size_t start = begin_message(out, to, number(type));
  put_bytes(out, data.first(std::min(data.size(), std::size_t{UINT16_MAX} - Header::kSize)));
  end_message(out, start);
}

/// OFPC_* of OpenFlow 1.0 and 1.3: flow, table and port statistics; ARP addresses are matched.
constexpr std::uint32_t kCapabilities = 1u << 0 | 1u << 1 | 1u << 2;
constexpr std::uint32_t kOf10ArpMatchIp = 1u << 7;
/// OFPAT_OUTPUT to OFPAT_ENQUEUE.
constexpr std::uint32_t kOf10Actions = (1u << 12) - 1;

void put_async(Bytes& out, const SetAsync& masks) {
  for (const auto* mask : {masks.packet_in_mask, masks.port_status_mask, masks.flow_removed_mask}) {
    put32(out, mask[0]);
    put32(out, mask[1]);
  }
}

void put_async_properties(Bytes& out, const SetAsync& masks) {
  std::uint16_t type = 0;
  for (const auto* mask : {masks.packet_in_mask, masks.port_status_mask, masks.flow_removed_mask}) {
    for (const std::size_t who : {1u, 0u}) {
      put16(out, type++);
      put16(out, 8);
      put32(out, mask[who]);
    }
  }
}

}  // namespace

void encode(Bytes& out, Envelope to, const Hello& hello) {
  const std::size_t start = begin_message(out, to, number(Type::kHello));
  if (to.version != Version::kOf10) {
    put16(out, 1);  // OFPHET_VERSIONBITMAP
    put16(out, 8);
    put32(out, hello.version_bitmap);
  }
  end_message(out, start);
}

void encode(Bytes& out, Envelope to, const ErrorMessage& error) {
  encode_error(out, to, error.error, error.data);
}

void encode_error(Bytes& out, Envelope to, const WireError& error, ByteSpan offending) {
  const std::size_t start = begin_message(out, to, number(Type::kError));
  if (error.experimenter == 0) {
    put16(out, error.type);
    put16(out, error.code);
  } else if (to.version == Version::kOf10) {
    put16(out, 0xb0c2);  // NXET_VENDOR, NXVC_VENDOR_ERROR
    put16(out, 0);
    put32(out, error.experimenter);
    put16(out, error.type);
    put16(out, error.code);
  } else {
    put16(out, 0xffff);
    put16(out, error.type);
    put32(out, error.experimenter);
  }
  const std::size_t room = UINT16_MAX - (out.size() - start);
  put_bytes(out, offending.first(std::min(offending.size(), room)));
  end_message(out, start);
}

void encode(Bytes& out, Envelope to, const EchoRequest& echo) {
  encode_data(out, to, Type::kEchoRequest, echo.data);
}
void encode(Bytes& out, Envelope to, const EchoReply& echo) {
  encode_data(out, to, Type::kEchoReply, echo.data);
}

void encode(Bytes& out, Envelope to, const FeaturesReply& features) {
  const std::size_t start = begin_message(out, to, number(Type::kFeaturesReply));
  put64(out, features.datapath_id);
  put32(out, features.n_buffers);
  put8(out, features.n_tables);
  if (to.version == Version::kOf10) {
    put_zeros(out, 3);
    put32(out, kCapabilities | kOf10ArpMatchIp);
    put32(out, kOf10Actions);
    constexpr std::size_t kPortSize = 48;
    for (const PortDesc& port : features.ports) {
      if (out.size() - start + kPortSize > UINT16_MAX) break;
      put_port_desc(out, to.version, port);
    }
  } else {
    put8(out, features.auxiliary_id);
    put16(out, 0);
    put32(out, kCapabilities);
    put32(out, 0);
  }
  end_message(out, start);
}

void encode(Bytes& out, Envelope to, const GetConfigReply& config) {
  const std::size_t start = begin_message(out, to, number(Type::kGetConfigReply));
  put16(out, config.flags);
  put16(out, config.miss_send_len);
  end_message(out, start);
}

void encode_barrier_reply(Bytes& out, Envelope to) {
  end_message(out, begin_message(out, to,
                                 number(to.version, Of10Type::kBarrierReply, Type::kBarrierReply)));
}

void encode_role_reply(Bytes& out, Envelope to, const RoleRequest& role) {
  if (role.is_nicira) {
    const std::size_t start = begin_nicira(out, to, to_integer(NiciraMessage::kRoleReply));
    // NX_ROLE_OTHER, MASTER, SLAVE
    put32(out, to_integer(role.role) == 0 ? 0u : to_integer(role.role) - 1u);
    end_message(out, start);
    return;
  }
  const std::size_t start = begin_message(out, to, number(Type::kRoleReply));
  put32(out, to_integer(role.role));
  put32(out, 0);
  put64(out, role.generation_id);
  end_message(out, start);
}

void encode_async_reply(Bytes& out, Envelope to, const SetAsync& masks) {
  const std::size_t start = begin_message(out, to, number(Type::kGetAsyncReply));
  if (is_at_least(to.version, Version::kOf14)) {
    put_async_properties(out, masks);
  } else {
    put_async(out, masks);
  }
  end_message(out, start);
}

void encode_bundle_reply(Bytes& out, Envelope to, const BundleControl& request) {
  const bool is_onf = !is_at_least(to.version, Version::kOf14);
  const std::size_t start =
      begin_message(out, to, number(is_onf ? Type::kExperimenter : Type::kBundleControl));
  if (is_onf) {
    put32(out, kOnfId);
    put32(out, kOnfBundleControl);
  }
  put32(out, request.bundle_id);
  put16(out, static_cast<std::uint16_t>(request.type + 1));
  put16(out, request.flags);
  end_message(out, start);
}

void encode_queue_config_reply(Bytes& out, Envelope to, PortNo port) {
  const std::size_t start = begin_message(
      out, to, number(to.version, Of10Type::kQueueGetConfigReply, Type::kQueueGetConfigReply));
  const bool is_10 = to.version == Version::kOf10;
  put_port(out, to.version, port);
  put_zeros(out, is_10 ? 6 : 4);
  end_message(out, start);
}

}  // namespace hoist::openflow
