// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/connection_tracker.hpp"
#include "hoist/fragments.hpp"

namespace hoist::software {

/// Fragments: control's view of a tracker's ledger.
class TrackedFragments final : public Fragments {
 public:
  /// `tracker` must outlive this.
  explicit TrackedFragments(ConnectionTracker& tracker) : ledger_(tracker.fragments()) {}

  FragmentReport report() const override;
  void set_enabled(bool is_ipv6, bool is_enabled) override;
  Result<void> set_min_size(bool is_ipv6, std::uint32_t bytes) override;
  Result<void> set_max_held(std::uint32_t most) override;

 private:
  FragmentLedger& ledger_;
};

}  // namespace hoist::software
