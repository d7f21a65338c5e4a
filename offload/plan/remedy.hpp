// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "hoist/offload_report.hpp"

namespace hoist::offload {

/// For people: what would bring a rule that was refused so into a better tier. Pure.
[[nodiscard]] std::string_view remedy(Refusal refusal) noexcept;

}  // namespace hoist::offload
