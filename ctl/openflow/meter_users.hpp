// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <vector>

#include "hoist/meter.hpp"
#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// Which live rules use which meter. Control thread.
class MeterUsers {
 public:
  explicit MeterUsers(const RuleSlab& slab) : slab_(slab) {}

  /// The rule has become live, or live again.
  void add(RuleId id);
  /// The rule is no longer live, but its RuleSpec is still there. Cost: amortised O(1).
  void remove(RuleId id);

  [[nodiscard]] std::uint32_t count(MeterId meter) const noexcept;
  /// The live rules that use a meter.
  [[nodiscard]] std::vector<RuleId> of(MeterId meter) const;

 private:
  struct Users {
    absl::InlinedVector<std::uint32_t, 4> ids;  ///< Some may be gone, some there twice.
    std::uint32_t live_count = 0;
  };
  [[nodiscard]] bool uses(RuleId id, MeterId meter) const;
  void tidy(Users& users, MeterId meter) const;

  const RuleSlab& slab_;
  absl::flat_hash_map<MeterId, Users> users_;
};

}  // namespace hoist::openflow
