// SPDX-License-Identifier: BSD-3-Clause
#include "support/fragment_frame.hpp"

#include <algorithm>

#include "support/internet_checksum.hpp"

namespace hoist::test {
namespace {

constexpr std::size_t kEthernet = 14;

void set16(Bytes& at, std::size_t offset, std::size_t value) {
  at[offset] = static_cast<std::uint8_t>(value >> 8);
  at[offset + 1] = static_cast<std::uint8_t>(value);
}

/// One fragment's place in the payload.
struct Piece {
  std::size_t offset;
  bool is_last;
};

void finish_ipv4(Bytes& frame, std::size_t headers_end, const Piece& piece, const Cut& cut) {
  set16(frame, kEthernet + 2, frame.size() - kEthernet);
  set16(frame, kEthernet + 4, cut.id);
  set16(frame, kEthernet + 6, piece.offset / 8 | (piece.is_last ? 0u : 0x2000u));
  set16(frame, kEthernet + 10, 0);
  const auto header = std::span(frame).first(headers_end).subspan(kEthernet);
  set16(frame, kEthernet + 10, checksum_finish(checksum_add(header)));
}

/// The byte that tells what follows the extension headers that each fragment has.
std::size_t find_next_header(const Bytes& frame, std::size_t headers_end) {
  std::size_t next = kEthernet + 6;
  for (std::size_t at = kEthernet + 40; at < headers_end;) {
    next = at;
    at += (frame[at + 1] + std::size_t{1}) * 8;
  }
  return next;
}

Bytes fragment_header(std::uint8_t next_header, const Piece& piece, const Cut& cut) {
  Bytes out(8);
  out[0] = next_header;
  set16(out, 2, piece.offset | (piece.is_last ? 0u : 1u));
  set16(out, 4, cut.id >> 16);
  set16(out, 6, cut.id & 0xffff);
  return out;
}

}  // namespace

std::vector<Bytes> fragmented(const Bytes& frame, const Cut& cut) {
  const bool is_ipv4 = frame[12] == 0x08;
  const std::size_t header_size =
      is_ipv4 ? (frame[kEthernet] & 15) * std::size_t{4} : 40 + cut.extensions_size;
  const std::size_t headers_end = kEthernet + header_size;
  std::vector<Bytes> out;
  for (std::size_t at = headers_end; at < frame.size(); at += cut.payload_size) {
    const std::size_t size = std::min(cut.payload_size, frame.size() - at);
    const Piece piece{at - headers_end, at + size == frame.size()};
    Bytes one(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(headers_end));
    if (!is_ipv4) {
      const std::size_t next = find_next_header(frame, headers_end);
      const Bytes header = fragment_header(one[next], piece, cut);
      one[next] = 44;
      one.insert(one.end(), header.begin(), header.end());
    }
    const auto from = frame.begin() + static_cast<std::ptrdiff_t>(at);
    one.insert(one.end(), from, from + static_cast<std::ptrdiff_t>(size));
    if (is_ipv4) {
      finish_ipv4(one, headers_end, piece, cut);
    } else {
      set16(one, kEthernet + 4, one.size() - kEthernet - 40);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace hoist::test
