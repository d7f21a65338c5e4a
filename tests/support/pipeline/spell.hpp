// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hoist/instructions.hpp"
#include "hoist/match.hpp"

namespace hoist::test {

/// A rule's parts for people, independent of ctl/'s printer, whose faults would hide others.
[[nodiscard]] std::string spell(const MiniMatch& match);
[[nodiscard]] std::string spell(const Action& action);
[[nodiscard]] std::string spell(const Instructions& instructions);

}  // namespace hoist::test
