// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fields.hpp"
#include "program.hpp"

namespace emulated_nic {

class Shape;
class Group;

/// Written by any receiving thread, read by the API.
struct Counter {
  std::atomic<std::uint64_t> packets{0};
  std::atomic<std::uint64_t> bytes{0};

  void add(std::uint32_t size) noexcept {
    packets.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
  }
};

/// An installed rule. Owned by the handle table; linked into one Shape.
struct Rule {
  Rule* next = nullptr;  ///< In its bucket: by hash, then priority, then age.
  std::uint64_t hash = 0;
  std::uint64_t sequence = 0;  ///< Order of insertion.
  std::uint32_t priority = 0;
  std::uint16_t port = 0;  ///< The port it was created on.
  bool is_transfer = false;
  bool is_active = false;  ///< Linked, in force.
  bool is_lost = false;    ///< By lose_newest(): it was in force once, and its owner does not know.
  bool is_aged = false;    ///< Told to the application already.
  Group* group = nullptr;
  Shape* shape = nullptr;
  std::unique_ptr<std::uint64_t[]> key;  ///< The words of its Shape.
  Program program;
  Counter hits;
  std::uint64_t* rules_of_table = nullptr;  ///< Of its template table, if it has one.
  std::uint64_t queried_packets = 0;        ///< What a query with reset has taken.
  std::uint64_t queried_bytes = 0;
  std::atomic<std::uint64_t> last_hit_ms{0};
};

/// The rules of a group that share a mask: a hash table.
class Shape {
 public:
  explicit Shape(const Fields& mask);

  [[nodiscard]] const Fields& mask() const { return mask_; }
  [[nodiscard]] bool empty() const { return levels_.empty(); }
  [[nodiscard]] std::uint32_t best_priority() const { return levels_.begin()->first; }

  /// Fills rule.key and rule.hash from `value`.
  void prepare(const Fields& value, Rule& rule) const;
  /// A rule of the same key and priority, or null.
  [[nodiscard]] const Rule* find_duplicate(const Rule& rule) const;
  void insert(Rule& rule);
  void remove(Rule& rule);
  /// The best rule for the packet, or null.
  [[nodiscard]] Rule* find(const Fields& packet) const;
  /// The value that `rule` wants, in place.
  [[nodiscard]] Fields value_of(const Rule& rule) const;

 private:
  [[nodiscard]] bool same_key(const Rule& rule, const std::uint64_t* key) const;
  void grow();

  Fields mask_;
  std::array<std::uint8_t, Fields::kWords> words_{};  ///< Those whose mask is not 0.
  std::size_t word_count_ = 0;
  std::vector<Rule*> buckets_;
  std::size_t rule_count_ = 0;
  std::map<std::uint32_t, std::size_t> levels_;  ///< Rules of each priority.
};

/// A flow group: its best rule for a packet is the one of the least priority number, the oldest
/// first. Changes need exclusion from lookups.
class Group {
 public:
  explicit Group(std::uint32_t id) : id_(id) {}

  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t shape_count() const { return order_.size(); }

  /// The shape for `mask`, made if need be.
  [[nodiscard]] Shape& shape_for(const Fields& mask);
  void insert(Rule& rule);
  void remove(Rule& rule);
  [[nodiscard]] Rule* find(const Fields& packet) const;

 private:
  void sort();

  const std::uint32_t id_;
  std::uint64_t size_ = 0;
  std::vector<std::unique_ptr<Shape>> shapes_;
  std::map<std::uint64_t, std::vector<Shape*>> by_mask_;  ///< By a hash of the mask.
  std::vector<Shape*> order_;  ///< Those with rules, best priority first.
};

}  // namespace emulated_nic
