// SPDX-License-Identifier: BSD-3-Clause
#include "checksum_error.hpp"

#include <span>

#include "support/internet_checksum.hpp"

namespace hoist::software {
namespace {

using Span = std::span<const std::uint8_t>;

std::uint64_t pseudo_header(Span frame, const Layers& layers) {
  const Span ip = frame.subspan(layers.l3_offset);
  std::uint64_t sum = layers.ip_proto + std::uint64_t{layers.l4_size};
  if (layers.eth_type == 0x0800) return test::checksum_add(ip.subspan(12, 8), sum);
  sum = test::checksum_add(ip.subspan(8, 16), sum);
  if (layers.has(Layers::kRoutePending))
    return sum;  // The last address stands elsewhere, unchanged.
  return test::checksum_add(ip.subspan(24, 16), sum);
}

std::uint32_t sctp_error(Span sctp) {
  test::Bytes bytes(sctp.begin(), sctp.end());
  std::uint32_t stored = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    stored |= std::uint32_t{bytes[8 + i]} << (8 * i);
    bytes[8 + i] = 0;
  }
  return stored ^ test::crc32c(bytes);
}

std::optional<std::uint32_t> layer4_error(Span frame, const Layers& layers) {
  if (layers.l4_offset == Layers::kNone) return std::nullopt;
  const Span l4 = frame.subspan(layers.l4_offset, layers.l4_size);
  const bool is_v4 = layers.eth_type == 0x0800;
  switch (layers.ip_proto) {
    case 6:
      if (l4.size() < 18) return std::nullopt;
      return test::checksum_finish(test::checksum_add(l4, pseudo_header(frame, layers)));
    case 17:
      if (l4.size() < 8 || (l4[6] == 0 && l4[7] == 0)) return std::nullopt;
      return test::checksum_finish(test::checksum_add(l4, pseudo_header(frame, layers)));
    case 58:
      if (is_v4 || l4.size() < 4) return std::nullopt;
      return test::checksum_finish(test::checksum_add(l4, pseudo_header(frame, layers)));
    case 1:
      if (!is_v4 || l4.size() < 4) return std::nullopt;
      return test::checksum_finish(test::checksum_add(l4));
    case 132:
      if (l4.size() < 12) return std::nullopt;
      return sctp_error(l4);
    default:
      return std::nullopt;
  }
}

}  // namespace

ChecksumError checksum_error(const test::Bytes& frame, const Layers& layers) {
  ChecksumError error;
  if (!layers.is_ip()) return error;
  if (layers.eth_type == 0x0800) {
    const std::size_t size = (frame[layers.l3_offset] & 0xfu) * 4;
    error.ipv4_header =
        test::checksum_finish(test::checksum_add(Span(frame).subspan(layers.l3_offset, size)));
  }
  error.layer4 = layer4_error(frame, layers);
  return error;
}

}  // namespace hoist::software
