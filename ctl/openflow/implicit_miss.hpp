// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "openflow/rule_slab.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

/// What OpenFlow 1.0 asks of a switch: a packet that no rule of table 0 matches goes to the
/// controller. From 1.3 on it is dropped, so this holds only while a controller is connected that
/// speaks less and takes such packets, and while the table has no rule of its own for them
/// (priority 0, matching all); as in Open vSwitch.
///
/// It is a rule that the planes know and the store does not: it cannot be listed, changed or
/// deleted. What differs from Open vSwitch: table statistics count its packets as matched, and a
/// resubmit to table 0 that finds nothing else finds it. Control thread.
class ImplicitMiss {
 public:
  /// No controller's rule has this cookie in Open vSwitch either.
  static constexpr std::uint64_t kCookie = UINT64_MAX;

  ImplicitMiss(BridgeId bridge, RuleSlab& slab) : bridge_(bridge), slab_(slab) {}

  /// Adds to a commit what makes the rule come or go.
  void follow(bool is_wanted, Commit& commit);
  /// Says whether a packet-in comes from such a rule, which may have gone since.
  [[nodiscard]] static bool is_from(const Rule* rule) noexcept {
    return rule != nullptr && rule->spec && rule->spec->cookie == kCookie;
  }

 private:
  BridgeId bridge_;
  RuleSlab& slab_;
  std::shared_ptr<const RuleSpec> rule_;  ///< Null: it is not there.
};

}  // namespace hoist::openflow
