// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "support/pipeline/scenario.hpp"

namespace hoist::test {

/// Takes away steps, packets, rules, actions and match fields for as long as `fails` says that what
/// is left still fails; calls it at most `tries_max` times. Returns the smallest that did.
[[nodiscard]] Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& fails,
                              unsigned tries_max = 2000);

}  // namespace hoist::test
