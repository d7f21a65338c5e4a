// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace emulated_nic {

/// Numbers instead of pointers for what the application holds: `generation << 32 | index + 1`. A
/// handle that outlived its object is recognised, never followed. Guarded by its owner's lock.
template <class T>
class Handles {
 public:
  [[nodiscard]] std::uint64_t add(std::unique_ptr<T> object) {
    std::uint32_t index;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[index];
    slot.object = std::move(object);
    ++size_;
    return std::uint64_t{slot.generation} << 32 | (index + 1u);
  }

  /// Null: never given, or gone.
  [[nodiscard]] T* find(std::uint64_t handle) const {
    const Slot* slot = slot_of(handle);
    return slot == nullptr ? nullptr : slot->object.get();
  }

  /// The handle must be alive.
  std::unique_ptr<T> remove(std::uint64_t handle) {
    const auto index = static_cast<std::uint32_t>(handle) - 1;
    Slot& slot = slots_[index];
    // 1 to 2^24 - 1, so that a handle always looks like a pointer of user space.
    slot.generation = slot.generation % 0xffffff + 1;
    free_.push_back(index);
    --size_;
    return std::move(slot.object);
  }

  /// visit(handle, object) for all; the visitor may remove the one it is shown.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].object != nullptr) {
        visit(std::uint64_t{slots_[i].generation} << 32 | (i + 1u), *slots_[i].object);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::unique_ptr<T> object;
    std::uint32_t generation = 1;
  };

  [[nodiscard]] const Slot* slot_of(std::uint64_t handle) const {
    const std::uint64_t index = (handle & UINT32_MAX) - 1;
    if (index >= slots_.size() || slots_[index].generation != handle >> 32) return nullptr;
    return &slots_[index];
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace emulated_nic
