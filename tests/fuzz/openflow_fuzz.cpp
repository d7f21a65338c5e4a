// SPDX-License-Identifier: BSD-3-Clause
// Takes messages that lie end to end, or an Ethernet frame with such a TCP payload, and decodes
// each in every version; what is understood must survive being encoded and decoded once more.
#include <cstdlib>

#include "openflow/codec.hpp"
#include "recorded_messages.hpp"
#include "text/flow_text.hpp"

namespace {

using namespace hoist;
using namespace hoist::openflow;
using Span = std::span<const std::uint8_t>;

void demand(bool condition) {
  if (!condition) std::abort();
}

/// A flow mod that was accepted must be accepted again, with the same match. (Its actions may come
/// back in another form.)
void re_encode(const FlowMod& mod, Version version) {
  const Bytes bytes = hoist::test::flow_mod_message(mod, version);
  if (bytes.size() > UINT16_MAX) return;
  const auto again = decode(bytes, {version, true});
  if (!again) return;
  demand(std::get<FlowMod>(*again).match == mod.match);
}

void describe(const FlowMod& mod) {
  const std::string match = text::format_match(MiniMatch(mod.match));
  const std::string actions = text::format_instructions(mod.instructions);
  const auto parsed = text::parse_match(match);
  if (parsed) demand(text::format_match(MiniMatch(*parsed)) == match);
  (void)text::parse_actions(actions);
}

void decode_one(Span message, Dialect dialect) {
  const auto request = decode(message, dialect);
  if (!request) return;
  if (const auto* mod = std::get_if<FlowMod>(&*request)) {
    describe(*mod);
    if (message.size() < 16384) re_encode(*mod, dialect.version);
  } else if (const auto* add = std::get_if<BundleAdd>(&*request)) {
    (void)decode(add->message, dialect);
  }
}

void decode_all(Span rest) {
  while (const auto header = Header::read(rest)) {
    if (header->length < Header::kSize || header->length > rest.size()) break;
    const Span message = rest.first(header->length);
    for (const Version v : {Version::kOf10, Version::kOf13, Version::kOf14, Version::kOf15}) {
      // Read as its own version it goes deep, as any other only to the header.
      decode_one(message, {v, header->xid % 2 == 0});
    }
    rest = rest.subspan(header->length);
  }
}

/// The TCP payload if `frame` is untagged Ethernet with IPv4 and TCP.
Span tcp_payload(Span frame) {
  constexpr std::size_t kEthernet = 14;
  if (frame.size() < kEthernet + 40 || frame[12] != 8 || frame[13] != 0 || frame[23] != 6)
    return {};
  const std::size_t tcp = kEthernet + (frame[14] & 15u) * 4;
  if (frame.size() < tcp + 20) return {};
  const std::size_t payload = tcp + (frame[tcp + 12] >> 4) * 4u;
  return payload <= frame.size() ? frame.subspan(payload) : Span{};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Span input(data, size);
  decode_all(input);
  decode_all(tcp_payload(input));
  if (size < 4096) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)text::parse_flow(text);
  }
  return 0;
}
