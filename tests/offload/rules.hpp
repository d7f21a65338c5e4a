// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "hoist/field.hpp"
#include "hoist/rule.hpp"

namespace hoist::offload {

/// Builds rules for tests: Rule(1).table(0).priority(10).match("nw_dst",
/// 0x0a000001).output(2).spec().
class Rule {
 public:
  explicit Rule(std::uint32_t id) : id_(id) {}
  Rule& table(std::uint8_t t) {
    table_ = t;
    return *this;
  }
  Rule& priority(std::uint16_t p) {
    priority_ = p;
    return *this;
  }
  /// By the field's ovs name; all bits unless a mask is given.
  Rule& match(std::string_view name, std::uint64_t value, std::uint64_t mask = ~std::uint64_t{0}) {
    const Field& f = *find_field(name);
    FieldValue m = field_value(mask);
    const FieldValue full = full_mask(f);
    FieldValue v = field_value(value & mask);
    for (std::size_t i = 0; i < m.size(); ++i) {
      m[i] = static_cast<std::uint8_t>(mask == ~std::uint64_t{0} ? full[i] : m[i] & full[i]);
      v[i] = static_cast<std::uint8_t>(v[i] & m[i]);
    }
    set_field(match_.value, f, v, m);
    set_field(match_.mask, f, m, m);
    return *this;
  }
  Rule& ip() { return match("eth_type", 0x0800); }
  Rule& ipv6() { return match("eth_type", 0x86dd); }
  Rule& tcp() { return ip().match("nw_proto", 6); }
  Rule& tag(std::uint16_t vid) { return match("vlan_tci", 0x1000u | vid, 0x1fff); }
  Rule& untagged() { return match("vlan_tci", 0, 0xffff); }

  Rule& act(Action action) {
    instructions_.apply_actions.push_back(std::move(action));
    return *this;
  }
  Rule& write(Action action) {
    instructions_.write_actions.push_back(std::move(action));
    return *this;
  }
  Rule& output(std::uint32_t port) { return act(OutputAction{PortNo{port}, 0}); }
  Rule& output(PortNo port) { return act(OutputAction{port, 0}); }
  Rule& set(std::string_view name, std::uint64_t value) {
    const Field& f = *find_field(name);
    return act(SetFieldAction{.field = f.id, .value = field_value(value), .mask = full_mask(f)});
  }
  Rule& go_to(std::uint8_t t) {
    instructions_.goto_table = t;
    return *this;
  }
  Rule& metadata(std::uint64_t value) {
    instructions_.write_metadata = Instructions::Metadata{value, ~std::uint64_t{0}};
    return *this;
  }

  [[nodiscard]] std::shared_ptr<const RuleSpec> spec() const {
    return std::make_shared<RuleSpec>(
        RuleSpec{.id = RuleId{id_},
                 .table_id = table_,
                 .priority = priority_,
                 .cookie = 0,
                 .match = MiniMatch(match_),
                 .instructions = std::make_shared<Instructions>(instructions_)});
  }

 private:
  std::uint32_t id_;
  std::uint8_t table_ = 0;
  std::uint16_t priority_ = 100;
  Match match_;
  Instructions instructions_;
};

}  // namespace hoist::offload
