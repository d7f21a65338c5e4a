// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mtr.h>

#include <cstdint>
#include <memory>
#include <tl/expected.hpp>
#include <unordered_map>

#include "meter.hpp"
#include "profile.hpp"

namespace emulated_nic {

/// Why a meter request is refused, as rte_mtr_error says it.
struct MeterRefused {
  int code;  ///< Positive errno.
  rte_mtr_error_type type;
  const char* message;  ///< Static storage.
};
template <class T>
using MeterAnswer = tl::expected<T, MeterRefused>;

/// Profiles, policies and meters of one port. They outlive a stop of the port. Guarded by the NIC's
/// locks: changes that receiving threads could see need Nic::Exclusive.
class MeterPort {
 public:
  [[nodiscard]] static rte_mtr_capabilities capabilities(const Profile& nic);

  MeterAnswer<bool> add_profile(const Profile& nic, std::uint32_t id,
                                const rte_mtr_meter_profile& conf);
  MeterAnswer<bool> remove_profile(std::uint32_t id);
  [[nodiscard]] MeterProfile* find_profile(std::uint32_t id) const;

  static MeterAnswer<MeterPolicy> check_policy(const rte_mtr_meter_policy_params& params);
  MeterAnswer<bool> add_policy(const Profile& nic, std::uint32_t id,
                               const rte_mtr_meter_policy_params& params);
  MeterAnswer<bool> remove_policy(std::uint32_t id);
  [[nodiscard]] MeterPolicy* find_policy(std::uint32_t id) const;

  MeterAnswer<bool> add(const Profile& nic, std::uint32_t id, const rte_mtr_params& params,
                        bool is_shared, std::uint64_t now_ns);
  MeterAnswer<bool> remove(std::uint32_t id);
  MeterAnswer<bool> enable(std::uint32_t id, bool is_enabled);
  MeterAnswer<bool> set_profile(std::uint32_t id, std::uint32_t profile_id, std::uint64_t now_ns);
  MeterAnswer<bool> set_policy(std::uint32_t id, std::uint32_t policy_id);
  MeterAnswer<bool> set_stats(const Profile& nic, std::uint32_t id, std::uint64_t mask);
  MeterAnswer<bool> read_stats(std::uint32_t id, rte_mtr_stats* stats, std::uint64_t* mask,
                               bool clears);
  [[nodiscard]] Meter* find(std::uint32_t id) const;
  [[nodiscard]] std::size_t size() const { return meters_.size(); }

 private:
  template <class T>
  using ById = std::unordered_map<std::uint32_t, std::unique_ptr<T>>;

  ById<MeterProfile> profiles_;
  ById<MeterPolicy> policies_;
  ById<Meter> meters_;
};

}  // namespace emulated_nic
