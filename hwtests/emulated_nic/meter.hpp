// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mtr.h>

#include <array>
#include <cstdint>

#include "spinlock.hpp"

namespace emulated_nic {

/// A meter's buckets, colour-blind. Tokens are bytes or packets, kept in units of 10^-9 so that a
/// refill of any number of nanoseconds is exact.
///   RFC 2697: one rate fills the committed bucket, what overflows it the excess bucket.
///   RFC 2698: peak and committed rate; what exceeds peak is red.
///   RFC 4115: committed and excess rate, each with its bucket.
class TokenBuckets {
 public:
  /// Buckets begin full at `now_ns`.
  void set(const rte_mtr_meter_profile& profile, std::uint64_t now_ns);
  /// The colour of a packet of `size` bytes; takes its tokens. Time never goes back.
  rte_color police(std::uint32_t size, std::uint64_t now_ns);

 private:
  __extension__ using Tokens = unsigned __int128;

  void refill(std::uint64_t now_ns);
  rte_color police_two_rates(Tokens need);

  rte_mtr_algorithm algorithm_ = RTE_MTR_NONE;
  bool counts_packets_ = false;
  std::uint64_t first_rate_ = 0, second_rate_ = 0;  ///< Tokens a second.
  Tokens first_size_ = 0, second_size_ = 0;
  Tokens first_ = 0, second_ = 0;  ///< Committed; excess or peak.
  std::uint64_t last_ns_ = 0;
};

/// What becomes of each colour. Shared by meters.
struct MeterPolicy {
  std::array<bool, RTE_COLORS> drops{};
  std::uint64_t user_count = 0;
};

struct MeterProfile {
  rte_mtr_meter_profile conf{};  ///< Rates and bursts as the NIC has rounded them.
  std::uint64_t user_count = 0;
};

/// A meter. Receiving threads police under its lock; the API takes it too.
struct Meter {
  Spinlock lock;
  TokenBuckets buckets;
  MeterProfile* profile = nullptr;
  MeterPolicy* policy = nullptr;
  bool is_enabled = true;
  bool is_shared = false;
  std::uint64_t stats_mask = 0;
  std::uint64_t user_count = 0;  ///< Rules that use it.
  rte_mtr_stats stats{};

  /// False: the packet is to be dropped.
  bool passes(std::uint32_t size, std::uint64_t now_ns);
};

}  // namespace emulated_nic
