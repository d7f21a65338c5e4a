// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
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
  using Slot = std::pair<RuleId, T>;  ///< kNone: free.

  template <class S, class Map>
  class Iterator {
   public:
    using value_type = Slot;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(Map* map, std::size_t at) : map_(map), at_(at) { skip(); }
    S& operator*() const { return *map_->slot(at_); }
    S* operator->() const { return map_->slot(at_); }
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
    void skip() {
      for (const std::size_t end = map_->limit(); at_ < end;) {
        const S* slot = map_->slot(at_);
        if (slot != nullptr && slot->first != RuleId::kNone) return;
        at_ = slot != nullptr ? at_ + 1 : (at_ / kChunk + 1) * kChunk;
      }
    }
    Map* map_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = Iterator<Slot, RuleMap>;
  using const_iterator = Iterator<const Slot, const RuleMap>;

  [[nodiscard]] iterator begin() { return {this, 0}; }
  [[nodiscard]] iterator end() { return {this, limit()}; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, limit()}; }

  [[nodiscard]] bool contains(RuleId rule) const { return is_used(to_integer(rule)); }
  [[nodiscard]] iterator find(RuleId rule) {
    return contains(rule) ? iterator{this, to_integer(rule)} : end();
  }
  [[nodiscard]] const_iterator find(RuleId rule) const {
    return contains(rule) ? const_iterator{this, to_integer(rule)} : end();
  }
  /// The rule must be there.
  [[nodiscard]] const T& at(RuleId rule) const { return slot(to_integer(rule))->second; }

  T& operator[](RuleId rule) {
    const std::size_t index = to_integer(rule) / kChunk;
    if (index >= chunks_.size()) chunks_.resize(index + 1);
    if (chunks_[index] == nullptr) chunks_[index] = std::make_unique<Chunk>();
    Slot& at = (*chunks_[index])[to_integer(rule) % kChunk];
    if (at.first == RuleId::kNone) ++size_;
    at.first = rule;
    return at.second;
  }
  void emplace(RuleId rule, T value) {
    if (!contains(rule)) (*this)[rule] = std::move(value);
  }
  void erase(iterator at) { erase(at->first); }
  std::size_t erase(RuleId rule) {
    if (!contains(rule)) return 0;
    *slot(to_integer(rule)) = {};
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
  using Chunk = std::array<Slot, kChunk>;

  [[nodiscard]] std::size_t limit() const { return chunks_.size() * kChunk; }
  /// Null: there is no such chunk.
  [[nodiscard]] Slot* slot(std::size_t at) const {
    const auto& chunk = chunks_[at / kChunk];
    return chunk == nullptr ? nullptr : &(*chunk)[at % kChunk];
  }
  [[nodiscard]] bool is_used(std::size_t at) const {
    if (at >= limit()) return false;
    const Slot* s = slot(at);
    return s != nullptr && s->first != RuleId::kNone;
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace hoist::offload
