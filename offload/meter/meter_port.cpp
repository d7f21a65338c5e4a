// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_port.hpp"

#include <rte_errno.h>
#include <rte_flow.h>
#include <rte_mtr.h>

#include <array>
#include <cerrno>
#include <string>

namespace hoist::offload {
namespace {

constexpr std::uint64_t kDropStats = RTE_MTR_STATS_N_PKTS_DROPPED | RTE_MTR_STATS_N_BYTES_DROPPED;

/// Copies DPDK's words at once. Drivers say both ENOSPC and ENOMEM where there is no room.
tl::unexpected<FlowFailure> failed(int result, const rte_mtr_error& error) {
  const int code = result < 0 ? -result : result;
  FlowFailure out{.is_full = code == ENOSPC || code == ENOMEM};
  const char* words = error.message != nullptr ? error.message : rte_strerror(code);
  out.why = {Refusal::kMeterInSoftware,
             std::string(out.is_full ? "the NIC has no room for its meter: "
                                     : "the NIC said of its meter: ") +
                 words};
  return tl::unexpected(out);
}

rte_mtr_meter_profile profile_of(const MeterForm& form) {
  rte_mtr_meter_profile out{};
  out.alg = RTE_MTR_SRTCM_RFC2697;
  out.packet_mode = form.counts_packets ? 1 : 0;
  out.srtcm_rfc2697.cir = form.rate;
  out.srtcm_rfc2697.cbs = form.burst;
  return out;
}

}  // namespace

MeterCapabilities MeterPort::capabilities() const {
  rte_mtr_capabilities caps{};
  rte_mtr_error error{};
  if (rte_mtr_capabilities_get(to_integer(ethdev_), &caps, &error) != 0) return {};
  if (caps.meter_srtcm_rfc2697_n_max == 0 || caps.n_shared_max == 0) return {};
  return {.meter_max = caps.n_shared_max,
          .rate_max = caps.meter_rate_max,
          .has_packet_mode = caps.srtcm_rfc2697_packet_mode_supported != 0};
}

FlowResult<std::uint32_t> MeterPort::create(const MeterForm& form) {
  if (auto policy = open_policy(); !policy) return tl::unexpected(policy.error());
  const auto profile = take_profile(form);
  if (!profile) return tl::unexpected(profile.error());
  rte_mtr_params params{};
  params.meter_profile_id = *profile;
  params.meter_policy_id = first_id_;
  params.meter_enable = 1;
  params.stats_mask = kDropStats;
  const std::uint32_t id = take_id();
  rte_mtr_error error{};
  if (const int result = rte_mtr_create(to_integer(ethdev_), id, &params, 1, &error); result != 0) {
    free_ids_.push_back(id);
    release_profile(form);
    return failed(result, error);
  }
  meters_.emplace(id, form);
  return id;
}

FlowResult<void> MeterPort::update(std::uint32_t id, const MeterForm& form) {
  MeterForm& now = meters_.at(id);
  if (now == form) return {};
  const auto profile = take_profile(form);
  if (!profile) return tl::unexpected(profile.error());
  rte_mtr_error error{};
  const int result = rte_mtr_meter_profile_update(to_integer(ethdev_), id, *profile, &error);
  if (result != 0) {
    release_profile(form);
    return failed(result, error);
  }
  release_profile(now);
  now = form;
  return {};
}

void MeterPort::destroy(std::uint32_t id) {
  const auto meter = meters_.find(id);
  if (meter == meters_.end()) return;
  rte_mtr_error error{};
  // One that the NIC does not give back keeps its number and its profile.
  const bool is_gone = rte_mtr_destroy(to_integer(ethdev_), id, &error) == 0;
  if (is_gone) {
    free_ids_.push_back(id);
    release_profile(meter->second);
  }
  meters_.erase(meter);
}

TrafficCount MeterPort::read_dropped(std::uint32_t id) const {
  rte_mtr_stats stats{};
  std::uint64_t mask = 0;
  rte_mtr_error error{};
  if (rte_mtr_stats_read(to_integer(ethdev_), id, &stats, &mask, 1, &error) != 0) return {};
  return {stats.n_pkts_dropped, stats.n_bytes_dropped};
}

void MeterPort::forget() {
  profiles_.clear();
  meters_.clear();
  free_ids_.clear();
  next_id_ = 1;
  has_policy_ = false;
}

FlowResult<std::uint32_t> MeterPort::take_profile(const MeterForm& form) {
  const auto known = profiles_.find(form);
  if (known != profiles_.end()) {
    ++known->second.user_count;
    return known->second.id;
  }
  const std::uint32_t id = take_id();
  rte_mtr_meter_profile profile = profile_of(form);
  rte_mtr_error error{};
  const int result = rte_mtr_meter_profile_add(to_integer(ethdev_), id, &profile, &error);
  if (result != 0) {
    free_ids_.push_back(id);
    return failed(result, error);
  }
  profiles_.emplace(form, Profile{id, 1});
  return id;
}

void MeterPort::release_profile(const MeterForm& form) {
  const auto known = profiles_.find(form);
  if (known == profiles_.end() || --known->second.user_count != 0) return;
  rte_mtr_error error{};
  if (rte_mtr_meter_profile_delete(to_integer(ethdev_), known->second.id, &error) == 0) {
    free_ids_.push_back(known->second.id);
  }
  profiles_.erase(known);
}

/// Green and yellow pass (there is no excess burst, so nothing is yellow), red is dropped.
FlowResult<void> MeterPort::open_policy() {
  if (has_policy_) return {};
  const std::array<rte_flow_action, 1> pass = {{{.type = RTE_FLOW_ACTION_TYPE_END}}};
  const std::array<rte_flow_action, 2> drop = {
      {{.type = RTE_FLOW_ACTION_TYPE_DROP}, {.type = RTE_FLOW_ACTION_TYPE_END}}};
  rte_mtr_meter_policy_params policy{};
  policy.actions[RTE_COLOR_GREEN] = pass.data();
  policy.actions[RTE_COLOR_YELLOW] = pass.data();
  policy.actions[RTE_COLOR_RED] = drop.data();
  rte_mtr_error error{};
  const int result = rte_mtr_meter_policy_add(to_integer(ethdev_), first_id_, &policy, &error);
  if (result != 0 && result != -EEXIST) return failed(result, error);
  has_policy_ = true;
  return {};
}

std::uint32_t MeterPort::take_id() {
  if (free_ids_.empty()) return first_id_ + next_id_++;
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  return id;
}

}  // namespace hoist::offload
