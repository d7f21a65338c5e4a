// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/buckets.hpp"

#include <cassert>
#include <new>

namespace hoist::software {

Slot* BucketLine::add(std::uint64_t hash, Ref ref) noexcept {
  const std::uint64_t tags = load();
  for (unsigned i = 0; i < kSlots; ++i) {
    if ((tags >> (8 * i) & 0xff) != 0) continue;
    slots_[i].store(ref);
    store(tags | byte_tag(hash) << (8 * i));
    return &slots_[i];
  }
  return nullptr;
}

bool BucketLine::erase(const Slot* slot) noexcept {
  if (slot < slots_.data() || slot >= slots_.data() + kSlots) return false;
  const auto i = static_cast<unsigned>(slot - slots_.data());
  store(load() & ~(std::uint64_t{0xff} << (8 * i)));
  slots_[i].store(Ref());
  return true;
}

BucketLines BucketLines::allocate(std::size_t count) {
  assert(std::has_single_bit(count));
  BucketLines b;
  const std::align_val_t alignment{alignof(BucketLine)};
  b.lines_ = static_cast<BucketLine*>(::operator new(count * sizeof(BucketLine), alignment));
  for (std::size_t i = 0; i < count; ++i) new (b.lines_ + i) BucketLine;
  b.shift_ = static_cast<std::uint8_t>(std::countr_zero(count));
  return b;
}

void BucketLines::free(void* lines) noexcept {
  ::operator delete (lines, std::align_val_t{alignof(BucketLine)});
}

}  // namespace hoist::software
