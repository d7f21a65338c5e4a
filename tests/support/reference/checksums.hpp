// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "support/reference/layers.hpp"

namespace hoist::reference {

/// Keeps a frame's checksums (IPv4 header, TCP, UDP, ICMP, ICMPv6, SCTP) honest over a change of
/// its fields: what was right before is worked out afresh and right again; what was wrong stays
/// wrong by the same amount (RFC 1624), so that damage is not hidden; a UDP checksum of 0 (none)
/// stays.
class Checksums {
 public:
  /// Looks at a frame before the change.
  explicit Checksums(const Bytes& frame);
  /// Says whether they were right, as far as there are any; SCTP's is left out.
  [[nodiscard]] bool are_right() const;
  /// Repairs it after the change, which must have moved no header.
  void repair(Bytes& frame) const;

 private:
  struct Sum {
    std::size_t at;         ///< Where the checksum lies.
    std::uint32_t stored;   ///< What was there.
    std::uint32_t correct;  ///< What should have been there.
  };
  Layers layers_;
  std::optional<Sum> header_;
  std::optional<Sum> transport_;
};

}  // namespace hoist::reference
