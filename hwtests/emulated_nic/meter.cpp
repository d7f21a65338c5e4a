// SPDX-License-Identifier: BSD-3-Clause
#include "meter.hpp"

#include <algorithm>
#include <mutex>

namespace emulated_nic {
namespace {

constexpr std::uint64_t kUnit = 1'000'000'000;  // Parts of a token; nanoseconds of a second.

}  // namespace

void TokenBuckets::set(const rte_mtr_meter_profile& profile, std::uint64_t now_ns) {
  algorithm_ = profile.alg;
  counts_packets_ = profile.packet_mode != 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  switch (algorithm_) {
    case RTE_MTR_SRTCM_RFC2697:
      first_rate_ = profile.srtcm_rfc2697.cir;
      second_rate_ = 0;
      first = profile.srtcm_rfc2697.cbs;
      second = profile.srtcm_rfc2697.ebs;
      break;
    case RTE_MTR_TRTCM_RFC2698:
      first_rate_ = profile.trtcm_rfc2698.cir;
      second_rate_ = profile.trtcm_rfc2698.pir;
      first = profile.trtcm_rfc2698.cbs;
      second = profile.trtcm_rfc2698.pbs;
      break;
    case RTE_MTR_TRTCM_RFC4115:
      first_rate_ = profile.trtcm_rfc4115.cir;
      second_rate_ = profile.trtcm_rfc4115.eir;
      first = profile.trtcm_rfc4115.cbs;
      second = profile.trtcm_rfc4115.ebs;
      break;
    default:
      break;
  }
  first_ = first_size_ = Tokens{first} * kUnit;
  second_ = second_size_ = Tokens{second} * kUnit;
  last_ns_ = now_ns;
}

void TokenBuckets::refill(std::uint64_t now_ns) {
  if (now_ns <= last_ns_) return;
  const std::uint64_t passed_ns = now_ns - last_ns_;
  last_ns_ = now_ns;
  first_ += Tokens{first_rate_} * passed_ns;
  second_ += Tokens{second_rate_} * passed_ns;
  if (first_ > first_size_) {
    if (algorithm_ == RTE_MTR_SRTCM_RFC2697) second_ += first_ - first_size_;
    first_ = first_size_;
  }
  second_ = std::min(second_, second_size_);
}

rte_color TokenBuckets::police_two_rates(Tokens need) {
  if (second_ < need) return RTE_COLOR_RED;
  second_ -= need;
  if (first_ < need) return RTE_COLOR_YELLOW;
  first_ -= need;
  return RTE_COLOR_GREEN;
}

rte_color TokenBuckets::police(std::uint32_t size, std::uint64_t now_ns) {
  if (algorithm_ == RTE_MTR_NONE) return RTE_COLOR_GREEN;
  refill(now_ns);
  const Tokens need = Tokens{counts_packets_ ? 1u : size} * kUnit;
  if (algorithm_ == RTE_MTR_TRTCM_RFC2698) return police_two_rates(need);
  if (first_ >= need) {
    first_ -= need;
    return RTE_COLOR_GREEN;
  }
  if (second_ < need) return RTE_COLOR_RED;
  second_ -= need;
  return RTE_COLOR_YELLOW;
}

bool Meter::passes(std::uint32_t size, std::uint64_t now_ns) {
  const std::lock_guard guard(lock);
  if (!is_enabled) return true;
  const rte_color color = buckets.police(size, now_ns);
  if (policy->drops[color]) {
    ++stats.n_pkts_dropped;
    stats.n_bytes_dropped += size;
    return false;
  }
  ++stats.n_pkts[color];
  stats.n_bytes[color] += size;
  return true;
}

}  // namespace emulated_nic
