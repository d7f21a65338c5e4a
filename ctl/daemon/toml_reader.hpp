// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hoist::ctl {

/// Reads one table of a TOML file by key and notes the first thing that is wrong, with its place.
/// At the end finish() objects to keys that nobody asked for.
class TomlReader {
 public:
  /// `prefix` is the table's own path, for messages: "bridge.port".
  TomlReader(const toml::table& table, std::string file, std::string prefix, std::string& error)
      : table_(table), file_(std::move(file)), prefix_(std::move(prefix)), error_(error) {}

  void read(std::string_view key, std::string& out) { take(key, out, "a string"); }
  void read(std::string_view key, bool& out) { take(key, out, "true or false"); }
  template <class Integer>
  void read_integer(std::string_view key, Integer& out, std::int64_t min, std::int64_t max) {
    std::int64_t value = 0;
    if (!take(key, value, "a whole number")) return;
    if (value < min || value > max) {
      return fail(key, *table_.get(key),
                  "want " + std::to_string(min) + " to " + std::to_string(max));
    }
    out = static_cast<Integer>(value);
  }
  void read(std::string_view key, std::vector<std::string>& out) {
    each(key, [&](const toml::node& node) {
      if (const auto value = node.value_exact<std::string>()) {
        out.push_back(*value);
      } else {
        fail(key, node, "want strings");
      }
    });
  }
  /// Calls visit(element) for each of an array.
  template <class Visit>
  void each(std::string_view key, Visit visit) {
    const toml::node* node = use(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return fail(key, *node, "want an array");
    for (const toml::node& element : *array) visit(element);
  }
  /// The node, which counts as read; null if there is none.
  const toml::node* use(std::string_view key) {
    used_.emplace(key);
    return table_.get(key);
  }
  void require(std::string_view key) {
    if (table_.get(key) == nullptr) fail(key, table_, "is missing");
  }
  void fail(std::string_view key, const toml::node& at, const std::string& why) {
    if (!error_.empty()) return;
    std::string place = file_;
    place.append(":").append(std::to_string(at.source().begin.line)).append(": ");
    error_ = place.append(path(key)).append(": ").append(why);
  }
  void finish() {
    for (const auto& [key, node] : table_) {
      if (!used_.contains(std::string(key.str()))) fail(key.str(), node, "unknown key");
    }
  }
  [[nodiscard]] std::string path(std::string_view key) const {
    return prefix_.empty() ? std::string(key) : std::string(prefix_).append(".").append(key);
  }

 private:
  template <class T>
  bool take(std::string_view key, T& out, const char* want) {
    const toml::node* node = use(key);
    if (node == nullptr) return false;
    const auto value = node->value_exact<T>();
    if (!value) {
      fail(key, *node, std::string("want ").append(want));
      return false;
    }
    out = *value;
    return true;
  }

  const toml::table& table_;
  std::string file_;
  std::string prefix_;
  std::string& error_;
  std::set<std::string> used_;
};

}  // namespace hoist::ctl
