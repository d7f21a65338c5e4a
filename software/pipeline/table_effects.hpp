// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

#include "classifier/rule_shape.hpp"
#include "pipeline/effects.hpp"

namespace hoist::software {

/// What the rules of one table do, grouped by which packets they may match. Control thread. Grows
/// at once; shrinks when shrink() is called.
class TableEffects {
 public:
  /// False: nothing that collect() answers has changed.
  bool add(const MiniMatch& match, const Program& program, std::uint8_t table_id);
  void remove(const MiniMatch& match, const Program& program, std::uint8_t table_id);
  /// Forgets what rules that are gone did. Says whether anything changed.
  bool shrink();

  /// Merges the effects of all rules that a packet may match whose in_port is one of `in_ports` (or
  /// any, if `any_port`) and whose class is one of `classes`.
  void collect(const std::vector<PortNo>& in_ports, bool any_port, PacketClassSet classes,
               Effects& into) const;

 private:
  struct Key {
    bool has_port;
    PortNo port;
    PacketClassSet classes;
    auto operator<=>(const Key&) const = default;
  };
  struct HashOfEffects {
    std::size_t operator()(const Effects& effects) const noexcept;
  };
  struct Group {
    /// How many rules have these effects: few kinds of rules make up a table, however many
    /// programs they have.
    std::unordered_map<Effects, std::uint32_t, HashOfEffects> kinds;
    Effects effects;
    bool is_stale = false;
  };
  static Key key_of(const MiniMatch& match);
  std::map<Key, Group> groups_;
  bool is_stale_ = false;
};

}  // namespace hoist::software
