// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pipeline/program.hpp"

namespace hoist::software {

/// The actions that wait for the end of the tables: at most one of a kind, carried out in the order
/// of OpenFlow 1.3, 5.10. Kinds and ranks are those of a kWrite op.
class ActionSet {
 public:
  struct Item {
    const Program* program;
    const Op* op;
    std::uint32_t kind;
    std::uint8_t rank;
  };

  void clear() noexcept { count_ = 0; }
  [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }

  /// `write`: the kWrite op, which the action follows. False: full.
  [[nodiscard]] bool write(const Program& program, const Op& write) noexcept {
    const Op* action = &write + 1;
    if (action->code != OpCode::kMove) remove(write.c);
    if (count_ == kItems) return false;
    // Insert behind all of the same rank or a lower one.
    std::size_t at = count_++;
    for (; at != 0 && items_[at - 1].rank > write.a; --at) items_[at] = items_[at - 1];
    items_[at] = {&program, action, write.c, write.a};
    return true;
  }
  [[nodiscard]] std::span<const Item> in_order() const noexcept { return {items_.data(), count_}; }

 private:
  static constexpr std::size_t kItems = 256;

  void remove(std::uint32_t kind) noexcept {
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto kept =
        std::remove_if(items_.begin(), end, [&](const Item& i) { return i.kind == kind; });
    count_ = static_cast<std::size_t>(kept - items_.begin());
  }

  std::array<Item, kItems> items_;
  std::size_t count_ = 0;
};

}  // namespace hoist::software
