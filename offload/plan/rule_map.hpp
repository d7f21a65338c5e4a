// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hoist/types.hpp"

namespace hoist::offload {

/// A map from rules, whose ids are small and dense (see openflow::RuleSlab): an array in chunks, so
/// that it costs neither a hash nor an allocation a rule. `T` default-constructs to "nothing".
/// Members are those of std::unordered_map; what is in it never moves; iteration is in the order of
/// ids; only clear() gives memory back. Owned by one thread.
template <class T>
class RuleMap {
 public:
  template <class V, class Map>
  class Iterator {
   public:
    using value_type = std::pair<RuleId, V&>;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(Map* map, std::size_t at) : map_(map), at_(at) { skip(); }
    value_type operator*() const {
      return {RuleId{static_cast<std::uint32_t>(at_)}, *map_->value(at_)};
    }
    struct Arrow {
      value_type value;
      value_type* operator->() { return &value; }
    };
    Arrow operator->() const { return {**this}; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip() { at_ = map_->next_used(at_); }

    Map* map_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = Iterator<T, RuleMap>;
  using const_iterator = Iterator<const T, const RuleMap>;

  [[nodiscard]] iterator begin() { return {this, 0}; }
  [[nodiscard]] iterator end() { return {this, limit()}; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, limit()}; }

  [[nodiscard]] bool contains(RuleId rule) const {
    const std::size_t at = to_integer(rule);
    return at < limit() && chunks_[at / kChunk] != nullptr && chunks_[at / kChunk]->is_used(at);
  }
  [[nodiscard]] iterator find(RuleId rule) {
    return contains(rule) ? iterator{this, to_integer(rule)} : end();
  }
  [[nodiscard]] const_iterator find(RuleId rule) const {
    return contains(rule) ? const_iterator{this, to_integer(rule)} : end();
  }
  /// The rule must be there.
  [[nodiscard]] const T& at(RuleId rule) const { return *value(to_integer(rule)); }

  T& operator[](RuleId rule) {
    const std::size_t at = to_integer(rule);
    if (at >= limit()) chunks_.resize(at / kChunk + 1);
    auto& chunk = chunks_[at / kChunk];
    if (chunk == nullptr) chunk = std::make_unique<Chunk>();
    if (!chunk->is_used(at)) ++size_;
    chunk->used[at % kChunk / 64] |= std::uint64_t{1} << at % 64;
    return chunk->values[at % kChunk];
  }
  void emplace(RuleId rule, T value) {
    if (!contains(rule)) (*this)[rule] = std::move(value);
  }
  void erase(iterator at) { erase(at->first); }
  std::size_t erase(RuleId rule) {
    if (!contains(rule)) return 0;
    const std::size_t at = to_integer(rule);
    Chunk& chunk = *chunks_[at / kChunk];
    T* value = &chunk.values[at % kChunk];
    std::destroy_at(value);
    std::construct_at(value);
    chunk.used[at % kChunk / 64] &= ~(std::uint64_t{1} << at % 64);
    --size_;
    return 1;
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  static constexpr std::size_t kChunk = 256;
  struct Chunk {
    std::array<std::uint64_t, kChunk / 64> used{};
    std::array<T, kChunk> values{};

    [[nodiscard]] bool is_used(std::size_t at) const {
      return (used[at % kChunk / 64] >> at % 64 & 1) != 0;
    }
  };

  [[nodiscard]] std::size_t limit() const { return chunks_.size() * kChunk; }
  [[nodiscard]] T* value(std::size_t at) const {
    return &chunks_[at / kChunk]->values[at % kChunk];
  }
  /// The first from `at` on that is there, or limit().
  [[nodiscard]] std::size_t next_used(std::size_t at) const {
    while (at < limit()) {
      const auto& chunk = chunks_[at / kChunk];
      const std::uint64_t rest = chunk == nullptr ? 0 : chunk->used[at % kChunk / 64] >> at % 64;
      if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
      at = (at / 64 + 1) * 64;
    }
    return limit();
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace hoist::offload
