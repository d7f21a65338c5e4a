// SPDX-License-Identifier: BSD-3-Clause
#include "packet/checksum.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/internet_checksum.hpp"
#include "support/random_packet.hpp"

namespace hoist::software {
namespace {

using test::Bytes;

Bytes random_bytes(test::Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST(ChecksumTest, Rfc1624Example) {  // RFC 1624, section 4
  ChecksumDelta delta;
  delta.replace(0x5555, 0x3285);
  std::array<std::uint8_t, 2> checksum = {0xdd, 0x2f};
  delta.apply(checksum.data());
  EXPECT_EQ(checksum, (std::array<std::uint8_t, 2>{0x00, 0x00}));
}

TEST(ChecksumTest, DifferenceGivesWhatTheWholeSumGives) {
  test::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes = random_bytes(random, 2 + random() % 60);
    bytes[0] = 1;  // All zeros are the one case in which both forms of zero occur.
    const std::size_t at = 1 + random() % (bytes.size() - 1);
    const std::size_t size = random() % std::min<std::size_t>(17, bytes.size() - at + 1);
    std::array<std::uint8_t, 2> checksum{};
    wire::store16(checksum.data(), test::checksum_finish(test::checksum_add(bytes)));
    const Bytes after = random_bytes(random, size);
    ChecksumDelta delta;
    delta.replace(&bytes[at], after.data(), size, at % 2 != 0);
    std::copy(after.begin(), after.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    delta.apply(checksum.data());
    ASSERT_EQ(wire::load16(checksum.data()), test::checksum_finish(test::checksum_add(bytes)));
  }
}

TEST(ChecksumTest, AbsentUdpChecksumStaysAbsent) {
  ChecksumDelta delta;
  delta.replace(1, 2);
  std::array<std::uint8_t, 2> checksum{};
  delta.apply_optional(checksum.data());
  EXPECT_EQ(checksum, (std::array<std::uint8_t, 2>{}));
}

TEST(ChecksumTest, UdpChecksumOfZeroIsSentAsOnes) {
  ChecksumDelta delta;
  delta.replace(0x5555, 0x3285);
  std::array<std::uint8_t, 2> checksum = {0xdd, 0x2f};
  delta.apply_optional(checksum.data());
  EXPECT_EQ(checksum, (std::array<std::uint8_t, 2>{0xff, 0xff}));
}

TEST(ChecksumTest, CrcDifferenceGivesWhatTheWholeCrcGives) {
  test::Random random(2);
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes = random_bytes(random, 4 + random() % 100);
    const std::size_t at = random() % (bytes.size() - 3);
    const Bytes difference = random_bytes(random, 4);
    const std::uint32_t before = test::crc32c(bytes);
    for (std::size_t b = 0; b < 4; ++b) bytes[at + b] ^= difference[b];
    std::array<std::uint8_t, 4> checksum{};
    for (std::size_t b = 0; b < 4; ++b) checksum[b] = static_cast<std::uint8_t>(before >> (8 * b));
    apply_crc32c(checksum.data(), difference.data(), bytes.size() - at - 4);
    const std::uint32_t after = test::crc32c(bytes);
    for (std::size_t b = 0; b < 4; ++b) {
      ASSERT_EQ(checksum[b], static_cast<std::uint8_t>(after >> (8 * b)));
    }
  }
}

}  // namespace
}  // namespace hoist::software
