// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/tracked_expectations.hpp"

#include <cstring>
#include <vector>

#include "conntrack/connection_filter.hpp"

namespace hoist::software {

// Copied first: a visitor may take its time, and workers wait for the lock.
void TrackedExpectations::walk(std::optional<std::uint16_t> zone,
                               const std::function<void(const ExpectationReport&)>& visit) {
  std::vector<Expectation> all;
  all.reserve(ExpectationTable::kCapacity);
  tracker_.helpers().expectations().each([&](const Expectation& e) {
    if (!zone || *zone == e.tuple.zone) all.push_back(e);
  });
  for (const Expectation& e : all) {
    ExpectationReport report{.tuple = report_of(e.tuple),
                             .parent = report_of(e.parent),
                             .zone = e.tuple.zone,
                             .mark = e.mark,
                             .label = {}};
    std::memcpy(report.label.data(), e.label.data(), sizeof e.label);
    visit(report);
  }
}

}  // namespace hoist::software
