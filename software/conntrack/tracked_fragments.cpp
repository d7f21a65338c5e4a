// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/tracked_fragments.hpp"

namespace hoist::software {
namespace {

// Relaxed throughout: numbers, in no order with anything.
constexpr auto kRelaxed = std::memory_order_relaxed;

FragmentFamilyReport report_of(const FragmentLedger::Family& family) {
  return {.is_enabled = family.is_enabled.load(kRelaxed),
          .min_size = family.size_least.load(kRelaxed),
          .accepted = family.accepted.load(kRelaxed),
          .completed = family.completed.load(kRelaxed),
          .expired = family.expired.load(kRelaxed),
          .too_small = family.too_small.load(kRelaxed),
          .overlapping = family.overlapping.load(kRelaxed),
          .purged = family.purged.load(kRelaxed)};
}

}  // namespace

FragmentReport TrackedFragments::report() const {
  return {.families = {report_of(ledger_.families[0]), report_of(ledger_.families[1])},
          .max_held = ledger_.held_most.load(kRelaxed),
          .held = ledger_.held.load(kRelaxed)};
}

void TrackedFragments::set_enabled(bool is_ipv6, bool is_enabled) {
  ledger_.families[is_ipv6 ? 1 : 0].is_enabled.store(is_enabled, kRelaxed);
}

Result<void> TrackedFragments::set_min_size(bool is_ipv6, std::uint32_t bytes) {
  if (bytes < FragmentLedger::kSizeLeastMin) {
    return failure(Errc::kInvalidArgument, "fragments below 400 bytes are never held");
  }
  ledger_.families[is_ipv6 ? 1 : 0].size_least.store(bytes, kRelaxed);
  return {};
}

Result<void> TrackedFragments::set_max_held(std::uint32_t most) {
  if (most > FragmentLedger::kHeldMost) {
    return failure(Errc::kInvalidArgument, "at most 5000 fragments are held");
  }
  ledger_.held_most.store(most, kRelaxed);
  return {};
}

}  // namespace hoist::software
