// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hoist/meter.hpp"

namespace hoist::reference {

/// A meter by the letter of OpenFlow 1.3, 5.7: a token bucket a band, in exact integers. (The
/// switch's own are schedules in one word; where rates divide a second evenly both are exact.)
class Meter {
 public:
  struct Verdict {
    bool is_dropped = false;
    unsigned levels = 0;  ///< That the drop precedence rises.
  };
  Meter(const MeterConfig& config, std::uint64_t now_ns);

  Verdict police(std::size_t frame_bytes, std::size_t bytes_before_network, std::uint64_t now_ns);
  [[nodiscard]] const MeterStats& stats() const { return stats_; }

 private:
  __extension__ using Wide = __int128;
  struct Bucket {
    Wide tokens = 0;  ///< Bits, or packets, times 10^9.
    std::uint64_t filled_ns = 0;
  };
  [[nodiscard]] Wide rate(const MeterBand& band) const;   ///< Bits or packets a second.
  [[nodiscard]] Wide depth(const MeterBand& band) const;  ///< Tokens of a full bucket.
  [[nodiscard]] Wide cost(std::size_t frame_bytes, std::size_t bytes_before_network) const;
  void fill(std::size_t band, std::uint64_t now_ns);

  MeterConfig config_;
  std::vector<Bucket> buckets_;
  MeterStats stats_;
};

/// The DSCP that a band which raises the drop precedence by so many levels makes of `dscp`: AFx1
/// becomes AFx2, AFx2 becomes AFx3; AFx3 and all others stay (RFC 2597).
[[nodiscard]] std::uint8_t with_higher_drop_precedence(std::uint8_t dscp, unsigned levels);

}  // namespace hoist::reference
