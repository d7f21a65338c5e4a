// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "packet/parse.hpp"
#include "support/packet_builder.hpp"

namespace hoist::software {

/// What parse() says of a frame.
struct Parsed {
  FlowKey key;
  Layers layers;
};

/// Parses the first `length` bytes of a frame out of a heap buffer of just that size, so that a
/// sanitizer sees the first byte read too far. The key starts full of rubbish but for its state.
inline Parsed parse_exactly(const test::Bytes& frame, std::size_t length) {
  const auto buffer = std::make_unique<std::uint8_t[]>(length);
  std::copy_n(frame.begin(), length, buffer.get());
  Parsed out{};
  std::memset(static_cast<void*>(&out.key), 0xa5, kPacketWords * 8);
  out.layers = parse(buffer.get(), length, PortNo{7}, out.key);
  return out;
}
inline Parsed parse_exactly(const test::Bytes& frame) { return parse_exactly(frame, frame.size()); }
inline Parsed parse_exactly(const test::Packet& packet) { return parse_exactly(packet.bytes()); }

}  // namespace hoist::software
