// SPDX-License-Identifier: BSD-3-Clause
#include "profile.hpp"

#include <toml++/toml.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>

#include "item_table.hpp"
#include "modify.hpp"

namespace emulated_nic {
namespace {

struct ErrnoName {
  std::string_view name;
  int code;
};
constexpr ErrnoName kErrnos[] = {
    {"ENOSPC", ENOSPC}, {"ENOMEM", ENOMEM},   {"EIO", EIO},       {"EAGAIN", EAGAIN},
    {"EBUSY", EBUSY},   {"ENOTSUP", ENOTSUP}, {"EINVAL", EINVAL}, {"E2BIG", E2BIG},
    {"EEXIST", EEXIST}, {"ENODEV", ENODEV},   {"EPERM", EPERM},   {"ETIMEDOUT", ETIMEDOUT},
};

/// Reads keys of one table and complains about those that nobody asked for.
class Reader {
 public:
  Reader(const toml::table* table, std::string where, std::string& error)
      : table_(table), where_(std::move(where)), error_(error) {}
  ~Reader() {
    if (table_ == nullptr) return;
    for (const auto& [key, node] : *table_) {
      if (!seen_.contains(key.str())) complain(key.str(), "is not a key of a profile");
    }
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const toml::node* node(std::string_view key) {
    if (table_ == nullptr) return nullptr;
    seen_.emplace(key);
    return table_->get(key);
  }
  void read(std::string_view key, bool& value) {
    const toml::node* found = node(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) return complain(key, "must be true or false");
    value = found->as_boolean()->get();
  }
  void read(std::string_view key, std::string& value) {
    const toml::node* found = node(key);
    if (found == nullptr) return;
    if (!found->is_string()) return complain(key, "must be a string");
    value = found->as_string()->get();
  }
  template <class Integer>
  void read_number(std::string_view key, Integer& value) {
    const toml::node* found = node(key);
    if (found == nullptr) return;
    if (!found->is_integer() || found->as_integer()->get() < 0) {
      return complain(key, "must be a number that is not negative");
    }
    value = static_cast<Integer>(found->as_integer()->get());
  }
  template <class Visit>
  void read_strings(std::string_view key, Visit visit) {
    const toml::node* found = node(key);
    if (found == nullptr) return;
    if (found->is_string()) return visit(std::string_view(found->as_string()->get()));
    if (!found->is_array()) return complain(key, "must be a string or a list of strings");
    for (const toml::node& element : *found->as_array()) {
      if (!element.is_string()) return complain(key, "must hold strings");
      visit(std::string_view(element.as_string()->get()));
    }
  }
  template <class Visit>
  void read_numbers(std::string_view key, Visit visit) {
    const toml::node* found = node(key);
    if (found == nullptr) return;
    if (!found->is_array()) return complain(key, "must be a list of numbers");
    for (const toml::node& element : *found->as_array()) {
      if (!element.is_integer()) return complain(key, "must hold numbers");
      visit(element.as_integer()->get());
    }
  }
  void complain(std::string_view key, std::string_view what) {
    if (error_.empty()) error_ = where_ + "." + std::string(key) + " " + std::string(what);
  }

 private:
  const toml::table* table_;
  std::string where_;
  std::string& error_;
  std::set<std::string, std::less<>> seen_;
};

void read_steering(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "steering", error);
  reader.read("transfer", profile.has_transfer);
  reader.read_number("group_max", profile.group_max);
  reader.read_number("root_priorities", profile.root_priorities);
  reader.read_number("priorities", profile.priorities);
  reader.read("jump_backward", profile.jump_backward);
  reader.read("transfer_all_ports", profile.transfer_all_ports);
  reader.read("proxy_is_first_port", profile.is_proxy_first);
  reader.read("vlan_optional", profile.vlan_optional);
  reader.read("eth_optional", profile.eth_optional);
  reader.read("keeps_indirect_actions", profile.keeps_indirects);
  reader.read("duplicates", profile.accepts_duplicates);
  reader.read("mark_crosses_domains", profile.mark_crosses_domains);
  reader.read_number("mark_max", profile.mark_max);
  reader.read_number("tags", profile.tag_count);
  reader.read("pop_vlan_needs_match", profile.pop_vlan_needs_match);
  reader.read("push_vlan_in_ingress", profile.push_vlan_in_ingress);
  reader.read("ttl_stops_at_zero", profile.ttl_stops_at_zero);
  if (profile.tag_count > kTagCount) reader.complain("tags", "is too many");
}

void allow(const ItemField& field, Fields& allowed) {
  std::memset(allowed.at(field.slot), 0xff, field.size);
  const auto presence = allowed.get<std::uint32_t>(slot::kPresence);
  allowed.set(slot::kPresence, presence | field.presence);
}

void read_item(const ItemRow& row, Reader& reader, Profile& profile) {
  if (reader.node(row.name) == nullptr) return;
  Fields allowed;
  reader.read_strings(row.name, [&](std::string_view name) {
    bool is_known = name == "*";
    for (const ItemField& field : item_fields()) {
      if (field.item != row.type || (name != "*" && name != field.name)) continue;
      is_known = true;
      allow(field, allowed);
    }
    if (!is_known) reader.complain(row.name, "names a field that the item does not have");
  });
  profile.items[item_index(row)] = allowed;
}

void read_items(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "items", error);
  for (const ItemRow& row : item_rows()) read_item(row, reader, profile);
}

void read_actions(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "actions", error);
  const auto add_to = [&](std::string_view key, ActionSet& set) {
    reader.read_strings(key, [&](std::string_view name) {
      if (name == "*") return void(set |= all_actions());
      const auto type = find_action(name);
      if (!type) return reader.complain(key, "names an action that the emulation does not have");
      set.set(static_cast<std::size_t>(*type));
    });
  };
  add_to("ingress", profile.ingress_actions);
  add_to("transfer", profile.transfer_actions);
  reader.read_strings("modify_fields", [&](std::string_view name) {
    if (name == "*") return void(profile.modify_fields |= all_modify_fields());
    const auto field = find_modify_field(name);
    if (!field) return reader.complain("modify_fields", "names an unknown field");
    profile.modify_fields.set(static_cast<std::size_t>(*field));
  });
}

void read_room(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "room", error);
  reader.read_number("total", profile.room_total);
  reader.read_number("root", profile.room_root);
  reader.read_number("group", profile.room_group);
  reader.read_number("counters", profile.room_counters);
  reader.read_number("insertion_us", profile.insertion_us);
}

void read_meters(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "meters", error);
  reader.read_number("max", profile.meter_max);
  reader.read_number("profiles", profile.meter_profile_max);
  reader.read_number("policies", profile.meter_policy_max);
  reader.read_number("mantissa_bits", profile.meter_mantissa_bits);
  reader.read("packet_mode", profile.meter_packet_mode);
  reader.read("counts_drops_only", profile.meter_counts_drops_only);
}

void read_create_fault(const toml::table& table, Profile& profile, std::string& error) {
  Reader reader(&table, "faults.create", error);
  CreateFault fault;
  std::string name = "ENOSPC";
  reader.read_number("nth", fault.nth);
  reader.read_number("count", fault.count);
  reader.read("errno", name);
  for (const ErrnoName& known : kErrnos) {
    if (known.name == name) fault.code = known.code;
  }
  if (fault.code == 0) reader.complain("errno", "is not known");
  profile.create_faults.push_back(fault);
}

void read_faults(const toml::table* table, Profile& profile, std::string& error) {
  Reader reader(table, "faults", error);
  reader.read_number("completion_delay", profile.completion_delay);
  reader.read_numbers("links_down", [&](std::int64_t port) {
    profile.links_down.push_back(static_cast<std::uint16_t>(port));
  });
  const toml::node* creates = reader.node("create");
  if (creates == nullptr) return;
  if (!creates->is_array_of_tables()) return reader.complain("create", "must be [[faults.create]]");
  for (const toml::node& fault : *creates->as_array()) {
    read_create_fault(*fault.as_table(), profile, error);
  }
}

ProfileOrError read_profile(const toml::table& root) {
  ProfileOrError result;
  Profile& profile = result.profile;
  std::string& error = result.error;
  Reader reader(&root, "profile", error);
  const auto section = [&](std::string_view key) {
    const toml::node* node = reader.node(key);
    return node == nullptr ? nullptr : node->as_table();
  };
  reader.read("name", profile.name);
  reader.read("queue_api", profile.has_queues);
  reader.read_numbers("ports", [&](std::int64_t port) {
    profile.ports.push_back(static_cast<std::uint16_t>(port));
  });
  read_steering(section("steering"), profile, error);
  read_items(section("items"), profile, error);
  read_actions(section("actions"), profile, error);
  read_room(section("room"), profile, error);
  read_meters(section("meters"), profile, error);
  read_faults(section("faults"), profile, error);
  return result;
}

}  // namespace

ProfileOrError parse_profile(std::string_view toml_text) {
  try {
    return read_profile(toml::parse(toml_text));
  } catch (const toml::parse_error& failure) {
    std::ostringstream text;
    text << "line " << failure.source().begin.line << ": " << failure.description();
    return {.profile = {}, .error = text.str()};
  }
}

ProfileOrError load_profile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return {.profile = {}, .error = "cannot read " + path};
  std::ostringstream text;
  text << file.rdbuf();
  ProfileOrError result = parse_profile(text.str());
  if (!result.error.empty()) result.error = path + ": " + result.error;
  return result;
}

}  // namespace emulated_nic
