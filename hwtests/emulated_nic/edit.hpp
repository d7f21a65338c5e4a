// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "flight.hpp"

namespace emulated_nic {

/// Which checksums an edit must keep right.
enum class Covered : std::uint8_t { kNothing, kIpHeader, kPseudoHeader, kL4 };

/// A packet that others hold too is copied before it is written. False: no memory for it.
bool make_writable(Flight& flight);

/// Writes bytes of the packet at `offset` and keeps the checksums that cover them right. The flight
/// must be fresh and writable.
void write_bytes(Flight& flight, std::size_t offset, std::span<const std::uint8_t> bytes,
                 Covered covered);

}  // namespace emulated_nic
