// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "hoist/types.hpp"
#include "openflow/codec.hpp"

/// Big-endian integers out of and into byte ranges, and the numbers that wire formats share.
namespace hoist::openflow {

using ByteSpan = std::span<const std::uint8_t>;

inline constexpr std::uint32_t kNiciraId = 0x00002320;
inline constexpr std::uint32_t kOnfId = 0x4f4e4600;

[[nodiscard]] constexpr std::uint16_t wire_type(std::uint32_t nxm_header) noexcept {
  return static_cast<std::uint16_t>(nxm_header >> 16);
}
[[nodiscard]] constexpr std::size_t rounded_to_8(std::size_t n) noexcept {
  return (n + 7) & ~std::size_t{7};
}
[[nodiscard]] constexpr bool is_at_least(Version version, Version least) noexcept {
  return to_integer(version) >= to_integer(least);
}

/// Takes values off the front of a byte range. What lies past the end reads as zero, and is_ok()
/// says so from then on: a fixed header can be read first and checked once.
class Reader {
 public:
  explicit Reader(ByteSpan bytes) noexcept : at_(bytes.data()), left_(bytes.size()) {}

  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] bool is_ok() const noexcept { return ok_; }
  [[nodiscard]] ByteSpan rest() const noexcept { return {at_, left_}; }

  template <class T>
  [[nodiscard]] T take() noexcept {
    if (!claim(sizeof(T))) return 0;
    T wire;
    std::memcpy(&wire, at_ - sizeof(T), sizeof(T));
    return BigEndian<T>::from_wire(wire).host();
  }
  [[nodiscard]] std::uint8_t u8() noexcept { return claim(1) ? at_[-1] : std::uint8_t{0}; }
  [[nodiscard]] std::uint16_t u16() noexcept { return take<std::uint16_t>(); }
  [[nodiscard]] std::uint32_t u32() noexcept { return take<std::uint32_t>(); }
  [[nodiscard]] std::uint64_t u64() noexcept { return take<std::uint64_t>(); }
  [[nodiscard]] ByteSpan bytes(std::size_t n) noexcept {
    return claim(n) ? ByteSpan{at_ - n, n} : ByteSpan{};
  }
  template <std::size_t N>
  [[nodiscard]] std::array<std::uint8_t, N> array() noexcept {
    std::array<std::uint8_t, N> out{};
    if (claim(N)) std::memcpy(out.data(), at_ - N, N);
    return out;
  }
  void skip(std::size_t n) noexcept { (void)claim(n); }

 private:
  bool claim(std::size_t n) noexcept {
    if (n > left_) {
      ok_ = false;
      left_ = 0;
      return false;
    }
    at_ += n;
    left_ -= n;
    return true;
  }
  const std::uint8_t* at_;
  std::size_t left_;
  bool ok_ = true;
};

[[nodiscard]] inline bool is_all_zeros(ByteSpan bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

template <class T>
void put(Bytes& out, T host) {
  const T wire = BigEndian<T>(host).wire();
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &wire, sizeof(T));
}
inline void put8(Bytes& out, std::uint8_t v) { out.push_back(v); }
inline void put16(Bytes& out, std::uint16_t v) { put(out, v); }
inline void put32(Bytes& out, std::uint32_t v) { put(out, v); }
inline void put64(Bytes& out, std::uint64_t v) { put(out, v); }
inline void put_zeros(Bytes& out, std::size_t n) { out.resize(out.size() + n); }
inline void put_bytes(Bytes& out, ByteSpan bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}
/// Exactly `size` bytes; a longer text is cut so that the last byte is always 0.
inline void put_text(Bytes& out, std::string_view text, std::size_t size) {
  const std::size_t at = out.size();
  put_zeros(out, size);
  std::memcpy(out.data() + at, text.data(), std::min(text.size(), size - 1));
}
/// Zeros until the bytes from `start` on are a multiple of 8.
inline void pad_to_8(Bytes& out, std::size_t start) {
  put_zeros(out, rounded_to_8(out.size() - start) - (out.size() - start));
}
/// Writes over two bytes. A length of more than 64 KiB loses its upper bits: actions can become
/// that long in another version's form, and whoever puts them into a message leaves them out then.
inline void set16(Bytes& out, std::size_t at, std::size_t v) {
  out[at] = static_cast<std::uint8_t>(v >> 8);
  out[at + 1] = static_cast<std::uint8_t>(v);
}

/// Starts a message and returns where; end_message() fills in its length.
[[nodiscard]] inline std::size_t begin_message(Bytes& out, Envelope to, std::uint8_t type) {
  const std::size_t start = out.size();
  put8(out, to_integer(to.version));
  put8(out, type);
  put16(out, 0);
  put32(out, to.xid);
  return start;
}
inline void end_message(Bytes& out, std::size_t start) {
  set16(out, start + 2, out.size() - start);
}

/// Starts a Nicira message: OpenFlow's header, then vendor and subtype.
[[nodiscard]] inline std::size_t begin_nicira(Bytes& out, Envelope to, std::uint32_t subtype) {
  const std::size_t start = begin_message(out, to, 4);
  put32(out, kNiciraId);
  put32(out, subtype);
  return start;
}

/// OpenFlow 1.0's 16-bit port numbers; the reserved ones are the last 256 in both numberings.
[[nodiscard]] constexpr PortNo port_from_16(std::uint16_t port) noexcept {
  return PortNo{port < 0xff00 ? std::uint32_t{port} : 0xffff0000u | port};
}
[[nodiscard]] constexpr std::uint16_t port_to_16(PortNo port) noexcept {
  return static_cast<std::uint16_t>(to_integer(port));
}
/// Says whether a 32-bit port number is one that a port can have, or a reserved one.
[[nodiscard]] constexpr bool is_port_number(PortNo port) noexcept {
  return to_integer(port) < 0xff00 || to_integer(port) >= 0xffffff00;
}
inline void put_port(Bytes& out, Version version, PortNo port) {
  if (version == Version::kOf10) {
    put16(out, port_to_16(port));
  } else {
    put32(out, to_integer(port));
  }
}

}  // namespace hoist::openflow
