// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>

#include "hoist/datapath.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// Knows which published versions all workers have come to. Control thread.
class Settler {
 public:
  using Version = Datapath::Version;
  explicit Settler(Reclaimer& reclaimer) : reclaimer_(reclaimer) {}

  /// `version` has just been published.
  void published(Version version) { pending_.push_back({version, reclaimer_.token()}); }

  /// The newest version that every worker has been quiescent since.
  Version settled() {
    while (!pending_.empty() && reclaimer_.passed(pending_.front().token)) {
      settled_ = pending_.front().version;
      pending_.pop_front();
    }
    return settled_;
  }

 private:
  struct Pending {
    Version version;
    std::uint64_t token;
  };
  Reclaimer& reclaimer_;
  std::deque<Pending> pending_;
  Version settled_ = 0;
};

}  // namespace hoist::software
