// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/connection_tracker.hpp"
#include "hoist/expectations.hpp"

namespace hoist::software {

/// Expectations: control's view of what a tracker's helpers wait for.
class TrackedExpectations final : public Expectations {
 public:
  /// `tracker` must outlive this.
  explicit TrackedExpectations(ConnectionTracker& tracker) : tracker_(tracker) {}

  void walk(std::optional<std::uint16_t> zone,
            const std::function<void(const ExpectationReport&)>& visit) override;

 private:
  ConnectionTracker& tracker_;
};

}  // namespace hoist::software
