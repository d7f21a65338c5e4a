// SPDX-License-Identifier: BSD-3-Clause
#include "packet/checksum.hpp"

#include <rte_hash_crc.h>

namespace hoist::software {

// The CRC of before xor after, started from 0, is CRC(before) xor CRC(after).
void apply_crc32c(std::uint8_t* at, const std::uint8_t* difference,
                  std::size_t size_after) noexcept {
  std::uint32_t crc = rte_hash_crc(difference, 4, 0);
  for (; size_after >= 8; size_after -= 8) crc = rte_hash_crc_8byte(0, crc);
  for (; size_after > 0; --size_after) crc = rte_hash_crc_1byte(0, crc);
  for (std::size_t i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(at[i] ^ crc >> (8 * i));
}

}  // namespace hoist::software
