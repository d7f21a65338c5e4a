// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace hoist::offload {

/// An array that grows at its end without moving what it has: blocks of 16, 32, 64, ... elements.
/// Owned by one thread.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t index) const noexcept {
    const std::size_t at = index + kFirst;
    const auto block = static_cast<std::size_t>(std::bit_width(at) - std::bit_width(kFirst));
    return blocks_[block].get()[at - (kFirst << block)];
  }
  void push_back(const T& value) {
    const std::size_t at = size_ + kFirst;
    if (std::has_single_bit(at)) blocks_.emplace_back(std::allocator<T>().allocate(at), Free{at});
    std::construct_at(&(*this)[size_++], value);
  }
  /// To at least `size`; what is new is a copy of `value`.
  void grow_to(std::size_t size, const T& value) {
    while (size_ < size) push_back(value);
  }

 private:
  static constexpr std::size_t kFirst = 16;
  struct Free {
    std::size_t size;
    void operator()(T* block) const { std::allocator<T>().deallocate(block, size); }
  };

  /// Untouched beyond size_: a block costs no memory before it is used.
  std::vector<std::unique_ptr<T, Free>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace hoist::offload
