// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/action_codec.hpp"
#include "openflow/check.hpp"
#include "openflow/match_codec.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

/// The ports that a packet can be said to have come in on.
bool is_source(PortNo port) noexcept {
  return to_integer(port) < 0xff00 || port == PortNo::kController || port == PortNo::kLocal ||
         port == PortNo::kAny;
}

/// OpenFlow 1.5 says the port, and more that is not kept, with a match.
Decoded<PortNo> take_in_port(Reader& in) {
  Match match;
  if (auto done = take_oxm_match(in, match); !done) return tl::unexpected(std::move(done.error()));
  if (match.mask.in_port.host() == 0) return PortNo::kController;
  return PortNo{match.value.in_port.host()};
}

}  // namespace

Decoded<PacketOut> decode_packet_out(Reader in, Version version) {
  PacketOut out;
  out.buffer_id = in.u32();
  std::uint16_t actions_size = 0;
  if (version == Version::kOf10) {
    out.in_port = port_from_16(in.u16());
    actions_size = in.u16();
  } else if (!is_at_least(version, Version::kOf15)) {
    out.in_port = PortNo{in.u32()};
    actions_size = in.u16();
    in.skip(6);
  } else {
    actions_size = in.u16();
    in.skip(2);
    const auto port = take_in_port(in);
    if (!port) return tl::unexpected(port.error());
    out.in_port = *port;
  }
  const ByteSpan actions = in.bytes(actions_size);
  if (!in.is_ok()) return fault(ErrorName::kBadLength, "packet-out cut off");
  if (!is_source(out.in_port)) return fault(ErrorName::kBadPort, "packet-out from no port");
  Instructions instructions;
  if (auto done = read_actions(actions, version, instructions); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (instructions.write_metadata) {
    return fault(ErrorName::kActionUnsupportedOrder, "write_metadata in a packet-out");
  }
  out.actions = std::move(instructions.apply_actions);
  if (auto done = check(out.actions, {version}); !done)
    return tl::unexpected(std::move(done.error()));
  const ByteSpan frame = in.rest();
  out.frame.assign(frame.begin(), frame.end());
  return out;
}

}  // namespace hoist::openflow
