// SPDX-License-Identifier: BSD-3-Clause
#include "support/internet_checksum.hpp"

#include <cstddef>

namespace hoist::test {

std::uint64_t checksum_add(std::span<const std::uint8_t> bytes, std::uint64_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += i % 2 == 0 ? std::uint64_t{bytes[i]} << 8 : bytes[i];
  }
  return sum;
}

std::uint16_t checksum_finish(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 1) != 0 ? crc >> 1 ^ kReversedPolynomial : crc >> 1;
  }
  return ~crc;
}

}  // namespace hoist::test
