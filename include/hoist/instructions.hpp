// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "hoist/action_list.hpp"

namespace hoist {

/// What a rule does (OpenFlow 1.3, 5.9). An OpenFlow 1.0 rule has only apply_actions.
/// Executed in this order: meter, apply, clear, write, metadata, goto.
struct Instructions {
  struct Metadata {
    std::uint64_t value;
    std::uint64_t mask;
    bool operator==(const Metadata&) const = default;
  };

  std::optional<std::uint32_t> meter_id;
  ActionList apply_actions;
  ActionList write_actions;
  std::optional<Metadata> write_metadata;
  std::optional<std::uint8_t> goto_table;
  bool has_clear_actions = false;

  bool operator==(const Instructions&) const = default;
};

}  // namespace hoist
