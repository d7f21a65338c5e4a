// SPDX-License-Identifier: BSD-3-Clause
#include "meter_port.hpp"

#include <rte_flow.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <mutex>

namespace emulated_nic {
namespace {

constexpr std::uint64_t kMaxRate = std::uint64_t{1} << 40;
constexpr std::uint64_t kDropStats = RTE_MTR_STATS_N_PKTS_DROPPED | RTE_MTR_STATS_N_BYTES_DROPPED;
constexpr std::uint64_t kAllStats = 0xff;

tl::unexpected<MeterRefused> no(int code, rte_mtr_error_type type, const char* message) {
  return tl::unexpected<MeterRefused>(MeterRefused{code, type, message});
}

std::uint64_t known_stats(const Profile& nic) {
  return nic.meter_counts_drops_only ? kDropStats : kAllStats;
}

/// The nearest number that is `bits` significant bits and a power of two; 0 bits: as it is.
std::uint64_t rounded(std::uint64_t value, unsigned bits) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (bits == 0 || width <= bits) return value;
  const unsigned shift = width - bits;
  return ((value >> (shift - 1)) + 1) >> 1 << shift;
}

/// Visits (value) of the rates and bursts that the algorithm uses.
template <class Visit>
void for_each_number(rte_mtr_meter_profile& conf, Visit visit) {
  switch (conf.alg) {
    case RTE_MTR_SRTCM_RFC2697:
      visit(conf.srtcm_rfc2697.cir);
      visit(conf.srtcm_rfc2697.cbs);
      visit(conf.srtcm_rfc2697.ebs);
      break;
    case RTE_MTR_TRTCM_RFC2698:
      visit(conf.trtcm_rfc2698.cir);
      visit(conf.trtcm_rfc2698.pir);
      visit(conf.trtcm_rfc2698.cbs);
      visit(conf.trtcm_rfc2698.pbs);
      break;
    case RTE_MTR_TRTCM_RFC4115:
      visit(conf.trtcm_rfc4115.cir);
      visit(conf.trtcm_rfc4115.eir);
      visit(conf.trtcm_rfc4115.cbs);
      visit(conf.trtcm_rfc4115.ebs);
      break;
    default:
      break;
  }
}

template <class Map>
auto* find_in(const Map& map, std::uint32_t id) {
  const auto found = map.find(id);
  return found == map.end() ? nullptr : found->second.get();
}

}  // namespace

rte_mtr_capabilities MeterPort::capabilities(const Profile& nic) {
  const auto max = static_cast<std::uint32_t>(std::min<std::uint64_t>(nic.meter_max, UINT32_MAX));
  rte_mtr_capabilities caps{};
  caps.n_max = caps.n_shared_max = max;
  caps.identical = caps.shared_identical = 1;
  caps.shared_n_flows_per_mtr_max = 4u << 20;
  caps.chaining_n_mtrs_per_flow_max = 1;
  caps.meter_srtcm_rfc2697_n_max = max;
  caps.meter_trtcm_rfc2698_n_max = max;
  caps.meter_trtcm_rfc4115_n_max = max;
  caps.meter_rate_max = kMaxRate;
  caps.meter_policy_n_max = nic.meter_policy_max;
  caps.srtcm_rfc2697_byte_mode_supported = 1;
  caps.trtcm_rfc2698_byte_mode_supported = 1;
  caps.trtcm_rfc4115_byte_mode_supported = 1;
  caps.srtcm_rfc2697_packet_mode_supported = nic.meter_packet_mode ? 1 : 0;
  caps.trtcm_rfc2698_packet_mode_supported = nic.meter_packet_mode ? 1 : 0;
  caps.trtcm_rfc4115_packet_mode_supported = nic.meter_packet_mode ? 1 : 0;
  caps.stats_mask = known_stats(nic);
  return caps;
}

MeterAnswer<bool> MeterPort::add_profile(const Profile& nic, std::uint32_t id,
                                         const rte_mtr_meter_profile& conf) {
  constexpr auto kType = RTE_MTR_ERROR_TYPE_METER_PROFILE;
  if (find_profile(id) != nullptr) {
    return no(EEXIST, RTE_MTR_ERROR_TYPE_METER_PROFILE_ID, "the meter profile exists");
  }
  if (profiles_.size() >= nic.meter_profile_max) return no(ENOMEM, kType, "no room for a profile");
  if (conf.alg > RTE_MTR_TRTCM_RFC4115) return no(ENOTSUP, kType, "algorithm not supported");
  if (conf.packet_mode != 0 && !nic.meter_packet_mode) {
    return no(ENOTSUP, RTE_MTR_ERROR_TYPE_METER_PROFILE_PACKET_MODE, "no packet mode");
  }
  auto profile = std::make_unique<MeterProfile>();
  profile->conf = conf;
  bool is_fine = true;
  for_each_number(profile->conf, [&](std::uint64_t& value) {
    is_fine = is_fine && value <= kMaxRate;
    value = rounded(value, nic.meter_mantissa_bits);
  });
  if (!is_fine) return no(EINVAL, kType, "rate or burst out of range");
  profiles_[id] = std::move(profile);
  return true;
}

MeterAnswer<bool> MeterPort::remove_profile(std::uint32_t id) {
  constexpr auto kType = RTE_MTR_ERROR_TYPE_METER_PROFILE_ID;
  const MeterProfile* profile = find_profile(id);
  if (profile == nullptr) return no(ENOENT, kType, "no such meter profile");
  if (profile->user_count != 0) return no(EBUSY, kType, "the meter profile is in use");
  profiles_.erase(id);
  return true;
}

MeterProfile* MeterPort::find_profile(std::uint32_t id) const { return find_in(profiles_, id); }

MeterAnswer<MeterPolicy> MeterPort::check_policy(const rte_mtr_meter_policy_params& params) {
  MeterPolicy policy;
  for (unsigned color = 0; color < RTE_COLORS; ++color) {
    const rte_flow_action* action = params.actions[color];
    for (; action != nullptr && action->type != RTE_FLOW_ACTION_TYPE_END; ++action) {
      if (action->type == RTE_FLOW_ACTION_TYPE_DROP) {
        policy.drops[color] = true;
      } else if (action->type != RTE_FLOW_ACTION_TYPE_VOID &&
                 action->type != RTE_FLOW_ACTION_TYPE_METER_COLOR) {
        return no(ENOTSUP, RTE_MTR_ERROR_TYPE_METER_POLICY, "a policy drops or lets pass only");
      }
    }
  }
  if (!policy.drops[RTE_COLOR_RED]) {
    return no(ENOTSUP, RTE_MTR_ERROR_TYPE_METER_POLICY, "red must drop");
  }
  return policy;
}

MeterAnswer<bool> MeterPort::add_policy(const Profile& nic, std::uint32_t id,
                                        const rte_mtr_meter_policy_params& params) {
  if (find_policy(id) != nullptr) {
    return no(EEXIST, RTE_MTR_ERROR_TYPE_METER_POLICY_ID, "the meter policy exists");
  }
  if (policies_.size() >= nic.meter_policy_max) {
    return no(ENOMEM, RTE_MTR_ERROR_TYPE_METER_POLICY, "no room for a policy");
  }
  const auto policy = check_policy(params);
  if (!policy) return tl::unexpected(policy.error());
  policies_[id] = std::make_unique<MeterPolicy>(*policy);
  return true;
}

MeterAnswer<bool> MeterPort::remove_policy(std::uint32_t id) {
  constexpr auto kType = RTE_MTR_ERROR_TYPE_METER_POLICY_ID;
  const MeterPolicy* policy = find_policy(id);
  if (policy == nullptr) return no(ENOENT, kType, "no such meter policy");
  if (policy->user_count != 0) return no(EBUSY, kType, "the meter policy is in use");
  policies_.erase(id);
  return true;
}

MeterPolicy* MeterPort::find_policy(std::uint32_t id) const { return find_in(policies_, id); }

MeterAnswer<bool> MeterPort::add(const Profile& nic, std::uint32_t id, const rte_mtr_params& params,
                                 bool is_shared, std::uint64_t now_ns) {
  MeterProfile* profile = find_profile(params.meter_profile_id);
  MeterPolicy* policy = find_policy(params.meter_policy_id);
  if (find(id) != nullptr) return no(EEXIST, RTE_MTR_ERROR_TYPE_MTR_ID, "the meter exists");
  if (profile == nullptr) {
    return no(ENOENT, RTE_MTR_ERROR_TYPE_METER_PROFILE_ID, "no such meter profile");
  }
  if (policy == nullptr) {
    return no(ENOENT, RTE_MTR_ERROR_TYPE_METER_POLICY_ID, "no such meter policy");
  }
  if (params.use_prev_mtr_color != 0 || params.dscp_table != nullptr) {
    return no(ENOTSUP, RTE_MTR_ERROR_TYPE_MTR_PARAMS, "meters are colour-blind");
  }
  if (meters_.size() >= nic.meter_max) {
    return no(ENOMEM, RTE_MTR_ERROR_TYPE_UNSPECIFIED, "no room for a meter");
  }
  auto meter = std::make_unique<Meter>();
  meter->profile = profile;
  meter->policy = policy;
  meter->is_enabled = params.meter_enable != 0;
  meter->is_shared = is_shared;
  meter->stats_mask = params.stats_mask & known_stats(nic);  // As mlx5: the rest is ignored.
  meter->buckets.set(profile->conf, now_ns);
  ++profile->user_count;
  ++policy->user_count;
  meters_[id] = std::move(meter);
  return true;
}

MeterAnswer<bool> MeterPort::remove(std::uint32_t id) {
  constexpr auto kType = RTE_MTR_ERROR_TYPE_MTR_ID;
  const Meter* meter = find(id);
  if (meter == nullptr) return no(ENOENT, kType, "no such meter");
  if (meter->user_count != 0) return no(EBUSY, kType, "rules use the meter");
  --meter->profile->user_count;
  --meter->policy->user_count;
  meters_.erase(id);
  return true;
}

Meter* MeterPort::find(std::uint32_t id) const { return find_in(meters_, id); }

MeterAnswer<bool> MeterPort::enable(std::uint32_t id, bool is_enabled) {
  Meter* meter = find(id);
  if (meter == nullptr) return no(ENOENT, RTE_MTR_ERROR_TYPE_MTR_ID, "no such meter");
  const std::lock_guard guard(meter->lock);
  meter->is_enabled = is_enabled;
  return true;
}

MeterAnswer<bool> MeterPort::set_profile(std::uint32_t id, std::uint32_t profile_id,
                                         std::uint64_t now_ns) {
  Meter* meter = find(id);
  MeterProfile* profile = find_profile(profile_id);
  if (meter == nullptr) return no(ENOENT, RTE_MTR_ERROR_TYPE_MTR_ID, "no such meter");
  if (profile == nullptr) {
    return no(ENOENT, RTE_MTR_ERROR_TYPE_METER_PROFILE_ID, "no such meter profile");
  }
  const std::lock_guard guard(meter->lock);
  --meter->profile->user_count;
  ++profile->user_count;
  meter->profile = profile;
  meter->buckets.set(profile->conf, now_ns);
  return true;
}

MeterAnswer<bool> MeterPort::set_policy(std::uint32_t id, std::uint32_t policy_id) {
  Meter* meter = find(id);
  MeterPolicy* policy = find_policy(policy_id);
  if (meter == nullptr) return no(ENOENT, RTE_MTR_ERROR_TYPE_MTR_ID, "no such meter");
  if (policy == nullptr) {
    return no(ENOENT, RTE_MTR_ERROR_TYPE_METER_POLICY_ID, "no such meter policy");
  }
  const std::lock_guard guard(meter->lock);
  --meter->policy->user_count;
  ++policy->user_count;
  meter->policy = policy;
  return true;
}

MeterAnswer<bool> MeterPort::set_stats(const Profile& nic, std::uint32_t id, std::uint64_t mask) {
  Meter* meter = find(id);
  if (meter == nullptr) return no(ENOENT, RTE_MTR_ERROR_TYPE_MTR_ID, "no such meter");
  meter->stats_mask = mask & known_stats(nic);
  return true;
}

MeterAnswer<bool> MeterPort::read_stats(std::uint32_t id, rte_mtr_stats* stats, std::uint64_t* mask,
                                        bool clears) {
  Meter* meter = find(id);
  if (meter == nullptr) return no(ENOENT, RTE_MTR_ERROR_TYPE_MTR_ID, "no such meter");
  const std::lock_guard guard(meter->lock);
  if (mask != nullptr) *mask = meter->stats_mask;
  if (stats != nullptr) {
    *stats = {};
    for (unsigned color = 0; color < RTE_COLORS; ++color) {
      if ((meter->stats_mask >> color & 1) != 0) stats->n_pkts[color] = meter->stats.n_pkts[color];
      if ((meter->stats_mask >> (4 + color) & 1) != 0) {
        stats->n_bytes[color] = meter->stats.n_bytes[color];
      }
    }
    if ((meter->stats_mask & RTE_MTR_STATS_N_PKTS_DROPPED) != 0) {
      stats->n_pkts_dropped = meter->stats.n_pkts_dropped;
    }
    if ((meter->stats_mask & RTE_MTR_STATS_N_BYTES_DROPPED) != 0) {
      stats->n_bytes_dropped = meter->stats.n_bytes_dropped;
    }
  }
  if (clears) meter->stats = {};
  return true;
}

}  // namespace emulated_nic
