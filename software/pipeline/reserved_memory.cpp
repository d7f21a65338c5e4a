// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/reserved_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace hoist::software {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void ReservedMemory::Unmap::operator()(void* p) const noexcept { ::munmap(p, size); }

Result<ReservedMemory> ReservedMemory::create(std::size_t size) {
  const std::size_t rounded = (size + kHugePage - 1) & ~(kHugePage - 1);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // One page more, so that the part we keep can start on a huge page's boundary.
  void* all = ::mmap(nullptr, rounded + kHugePage, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (all == MAP_FAILED) {
    return failure(Errc::kFull, std::string("no address space: ") + std::strerror(errno));
  }
  const auto start = reinterpret_cast<std::uintptr_t>(all);
  const std::uintptr_t aligned = (start + kHugePage - 1) & ~(kHugePage - 1);
  if (aligned != start) ::munmap(all, aligned - start);
  const std::size_t tail = kHugePage - (aligned - start);
  if (tail != 0) ::munmap(reinterpret_cast<void*>(aligned + rounded), tail);
  auto* memory = reinterpret_cast<void*>(aligned);
  ::madvise(memory, rounded, MADV_HUGEPAGE);  // Without it everything is only slower.
  ReservedMemory out;
  out.memory_ = std::unique_ptr<void, Unmap>(memory, Unmap{rounded});
  return out;
}

void ReservedMemory::provide(std::size_t offset, std::size_t size) const noexcept {
  const std::size_t first = offset & ~(kHugePage - 1);
  const std::size_t last =
      std::min(this->size(), (offset + size + kHugePage - 1) & ~(kHugePage - 1));
  if (first >= last) return;
  // Without it everything is only slower.
  ::madvise(as<std::uint8_t>() + first, last - first, MADV_POPULATE_WRITE);
}

}  // namespace hoist::software
