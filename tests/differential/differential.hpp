// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compare.hpp"

namespace hoist::test {

/// Runs a scenario through the reference and a plane. Returns the first difference, for people;
/// empty: none.
[[nodiscard]] std::string run_both(const Scenario& scenario, Plane& plane,
                                   const Strictness& strictness);

/// run_both() over random scenarios, as many as $HOIST_DIFFERENTIAL_PIPELINES says (else `count`),
/// from seed $HOIST_DIFFERENTIAL_SEED (else a fixed one). A failing scenario is made as small as it
/// gets and fails the test with its text; after a few the rest is left out. `prepare`: takes out of
/// a scenario what the plane does not claim to do.
void run_many(Plane& plane, const Strictness& strictness, unsigned count,
              const std::function<void(Scenario&)>& prepare);

}  // namespace hoist::test
