// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/checksums.hpp"

namespace hoist::reference {
namespace {

std::uint16_t fold(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

/// Sum of 16-bit words, the last byte padded with zero (RFC 1071).
std::uint64_t word_sum(View bytes, std::size_t from, std::size_t to) {
  std::uint64_t sum = 0;
  for (std::size_t at = from; at < to; at += 2) {
    sum += at + 1 < to ? get16(bytes, at) : static_cast<std::uint16_t>(bytes[at] << 8);
  }
  return sum;
}

/// RFC 768, 793 and 8200, 8.1. The protocol number comes in with the kind of header.
std::uint64_t pseudo_header_sum(View frame, const Layers& l) {
  const std::size_t length = l.network_end - l.transport_at;
  const std::uint64_t rest = length + l.ip_proto;
  if (l.network == Network::kIpv4) {
    return rest + word_sum(frame, l.network_at + 12, l.network_at + 20);
  }
  const std::size_t addresses_end = l.network_at + (l.is_source_routed ? 24 : 40);
  return rest + word_sum(frame, l.network_at + 8, addresses_end);
}

/// Castagnoli CRC, bit by bit (RFC 4960, appendix B), in the byte order of the wire.
std::uint32_t crc32c(View bytes, std::size_t from, std::size_t to) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t at = from; at < to; ++at) {
    crc ^= bytes[at];
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
  }
  return __builtin_bswap32(~crc);
}

std::uint16_t correct_header(Bytes frame, const Layers& l) {
  put16(frame, l.network_at + 10, 0);
  const std::size_t end = l.network_at + 4u * (frame[l.network_at] & 0x0f);
  return static_cast<std::uint16_t>(~fold(word_sum(frame, l.network_at, end)));
}

/// The checksum of a transport header, by its protocol: present if its bytes are there, however
/// unsound the rest of the header may be.
struct Kind {
  std::uint8_t proto;
  std::size_t at;  ///< Bytes into the header.
  std::size_t size = 2;
  bool has_pseudo_header = true;
  bool is_optional = false;    ///< 0 means that there is none.
  bool is_never_zero = false;  ///< A result of 0 is written as 0xffff, which is as right.
};
constexpr Kind kKinds[] = {
    {.proto = 6, .at = 16},                                                    // TCP, RFC 9293
    {.proto = 17, .at = 6, .is_optional = true, .is_never_zero = true},        // UDP, RFC 768
    {.proto = 136, .at = 6, .is_optional = true, .is_never_zero = true},       // UDP-Lite, RFC 3828
    {.proto = 33, .at = 6},                                                    // DCCP, RFC 4340
    {.proto = 132, .at = 8, .size = 4, .has_pseudo_header = false},            // SCTP, RFC 9260
    {.proto = 1, .at = 2, .has_pseudo_header = false, .is_never_zero = true},  // ICMP, RFC 792
    {.proto = 58, .at = 2},                                                    // ICMPv6, RFC 4443
};

const Kind* find_kind(const Layers& l) {
  if (!l.is_transport_reached) return nullptr;
  if (l.ip_proto == 1 && l.network != Network::kIpv4) return nullptr;
  if (l.ip_proto == 58 && l.network != Network::kIpv6) return nullptr;
  for (const Kind& kind : kKinds) {
    const bool is_there = l.transport_at + kind.at + kind.size <= l.network_end;
    if (kind.proto == l.ip_proto && is_there) return &kind;
  }
  return nullptr;
}

std::uint32_t correct_transport(Bytes frame, const Layers& l, const Kind& kind) {
  const std::size_t at = l.transport_at + kind.at;
  if (kind.proto == 132) {
    put32(frame, at, 0);
    return crc32c(frame, l.transport_at, l.network_end);
  }
  put16(frame, at, 0);
  std::uint64_t sum = word_sum(frame, l.transport_at, l.network_end);
  if (kind.has_pseudo_header) sum += pseudo_header_sum(frame, l);
  const auto checksum = static_cast<std::uint16_t>(~fold(sum));
  return kind.is_never_zero && checksum == 0 ? 0xffff : checksum;
}

/// The new checksum, by what it was, what it should have been and what it should be now.
std::uint16_t repaired(std::uint32_t stored, std::uint32_t correct_before,
                       std::uint32_t correct_now) {
  if (stored == correct_before) return static_cast<std::uint16_t>(correct_now);
  const std::uint64_t sum = (~stored & 0xffff) + correct_before + (~correct_now & 0xffff);
  return static_cast<std::uint16_t>(~fold(sum));
}

}  // namespace

Checksums::Checksums(const Bytes& frame) : layers_(find_layers(frame)) {
  if (layers_.network == Network::kIpv4) {
    const std::size_t at = layers_.network_at + 10;
    header_ = Sum{at, get16(frame, at), correct_header(frame, layers_)};
  }
  const Kind* kind = find_kind(layers_);
  if (kind == nullptr) return;
  const std::size_t at = layers_.transport_at + kind->at;
  const std::uint32_t stored = kind->size == 4 ? get32(frame, at) : get16(frame, at);
  if (kind->is_optional && stored == 0) return;
  transport_ = Sum{at, stored, correct_transport(frame, layers_, *kind)};
}

bool Checksums::are_right() const {
  // 0 and 0xffff are the same sum (RFC 1071).
  const auto is_right = [](const Sum& s) { return s.stored % 0xffff == s.correct % 0xffff; };
  if (header_ && !is_right(*header_)) return false;
  return !transport_ || layers_.ip_proto == 132 || is_right(*transport_);
}

void Checksums::repair(Bytes& frame) const {
  if (header_) {
    const std::uint16_t now = correct_header(frame, layers_);
    if (now != header_->correct) {
      put16(frame, header_->at, repaired(header_->stored, header_->correct, now));
    }
  }
  if (!transport_) return;
  const Kind& kind = *find_kind(layers_);
  const std::uint32_t now = correct_transport(frame, layers_, kind);
  if (now == transport_->correct) return;
  if (kind.size == 4) {
    put32(frame, transport_->at, transport_->stored ^ transport_->correct ^ now);
    return;
  }
  const std::uint16_t checksum = repaired(transport_->stored, transport_->correct, now);
  put16(frame, transport_->at, kind.is_never_zero && checksum == 0 ? 0xffff : checksum);
}

}  // namespace hoist::reference
