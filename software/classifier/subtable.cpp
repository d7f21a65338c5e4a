// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/subtable.hpp"

#include <cassert>
#include <new>

namespace hoist::software {
namespace {

constexpr std::size_t kMinSlots = 4;
constexpr unsigned kTagShift = 48;
constexpr std::uint64_t kPointerMask = (std::uint64_t{1} << kTagShift) - 1;

std::uint64_t to_slot(Node* node, std::uint64_t hash) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(node);
  assert((address & ~kPointerMask) == 0);
  return address | (hash & ~kPointerMask);
}
Node* to_node(std::uint64_t slot) noexcept { return reinterpret_cast<Node*>(slot & kPointerMask); }

}  // namespace

/// A power of two of slots, behind their number.
struct alignas(8) Subtable::Slots {
  std::size_t last;  ///< Number of slots less one.

  static Slots* create(std::size_t count) {
    Slots* slots = new (::operator new(sizeof(Slots) + count * sizeof(Slot))) Slots{count - 1};
    for (std::size_t i = 0; i < count; ++i) new (&slots->at(i)) Slot{kEmpty};
    return slots;
  }
  static void destroy(void* slots) noexcept { ::operator delete(slots); }
  [[nodiscard]] Slot& at(std::size_t i) noexcept {
    return reinterpret_cast<Slot*>(this + 1)[i & last];
  }
};

Subtable::Subtable(FlowMask mask, Reclaimer& reclaimer)
    : mask_(std::move(mask)), slots_(Slots::create(kMinSlots)), reclaimer_(reclaimer) {}

Subtable::~Subtable() {
  Slots* slots = slots_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= slots->last; ++i) {
    Node* node = to_node(slots->at(i).load(std::memory_order_relaxed) & ~kTombstone);
    while (node != nullptr) {
      Node* next = node->next.load(std::memory_order_relaxed);
      Node::destroy(node);
      node = next;
    }
  }
  Slots::destroy(slots);
}

std::uint64_t Subtable::hash(const FlowKey& key) const noexcept {
  std::uint64_t h = 0;
  const std::uint64_t* mask = mask_.words.data();
  for (std::uint64_t m = mask_.map; m != 0; m &= m - 1) {
    h = mix(h, words(key)[std::countr_zero(m)] & *mask++);
  }
  return h;
}

std::uint64_t Subtable::hash(const Node& node) const noexcept {
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < mask_.words.size(); ++i) h = mix(h, node.values()[i]);
  return h;
}

const Node* Subtable::find(const FlowKey& key, Classifier::Version version) const noexcept {
  const std::uint64_t h = hash(key);
  // Acquire, here and below: pairs with the release stores of the writer, so that what is pointed
  // to is complete.
  Slots* slots = slots_.load(std::memory_order_acquire);
  for (std::size_t i = h;; ++i) {
    const std::uint64_t slot = slots->at(i).load(std::memory_order_acquire);
    if (slot == kEmpty) return nullptr;
    if (((slot ^ h) & ~kPointerMask) != 0 || slot == kTombstone) continue;
    const Node* node = to_node(slot);
    const std::uint64_t* value = node->values();
    const std::uint64_t* mask = mask_.words.data();
    bool is_match = true;
    for (std::uint64_t m = mask_.map; m != 0; m &= m - 1) {
      is_match &= (words(key)[std::countr_zero(m)] & *mask++) == *value++;
    }
    if (!is_match) continue;
    while (node != nullptr && !node->is_visible(version)) {
      node = node->next.load(std::memory_order_acquire);
    }
    return node;
  }
}

Subtable::Slot* Subtable::find_slot(const Node& node) const noexcept {
  const std::uint64_t h = hash(node);
  Slots* slots = slots_.load(std::memory_order_relaxed);
  for (std::size_t i = h;; ++i) {
    const std::uint64_t slot = slots->at(i).load(std::memory_order_relaxed);
    if (slot == kEmpty) return nullptr;
    if (((slot ^ h) & ~kPointerMask) != 0 || slot == kTombstone) continue;
    if (std::equal(node.values(), node.values() + mask_.words.size(), to_node(slot)->values())) {
      return &slots->at(i);
    }
  }
}

bool Subtable::link(Node* node) {
  if (Slot* slot = find_slot(*node); slot != nullptr) {
    chain(*slot, node);
  } else {
    // At most three quarters full, so that probes stay short and find an empty slot.
    if ((used_ + 1) * 4 > (slots_.load(std::memory_order_relaxed)->last + 1) * 3) resize();
    const std::uint64_t h = hash(*node);
    put(*slots_.load(std::memory_order_relaxed), to_slot(node, h), h);
    ++matches_;
  }
  return priorities_.add(node->priority);
}

void Subtable::chain(Slot& slot, Node* node) {
  Node* at = to_node(slot.load(std::memory_order_relaxed));
  if (node->priority > at->priority) {
    node->next.store(at, std::memory_order_relaxed);
    slot.store(to_slot(node, hash(*node)), std::memory_order_release);
    return;
  }
  Node* next = at->next.load(std::memory_order_relaxed);
  while (next != nullptr && next->priority >= node->priority) {
    at = next;
    next = at->next.load(std::memory_order_relaxed);
  }
  node->next.store(next, std::memory_order_relaxed);
  at->next.store(node, std::memory_order_release);
}

bool Subtable::unlink(Node* node) {
  Slot* slot = find_slot(*node);
  assert(slot != nullptr);
  Node* at = to_node(slot->load(std::memory_order_relaxed));
  Node* next = node->next.load(std::memory_order_relaxed);
  if (at != node) {
    while (at->next.load(std::memory_order_relaxed) != node) {
      at = at->next.load(std::memory_order_relaxed);
    }
    at->next.store(next, std::memory_order_release);
  } else if (next != nullptr) {
    slot->store(to_slot(next, hash(*node)), std::memory_order_release);
  } else {
    slot->store(kTombstone, std::memory_order_release);
    --matches_;
  }
  return priorities_.remove(node->priority);
}

void Subtable::put(Slots& slots, std::uint64_t word, std::uint64_t hash) {
  for (std::size_t i = hash;; ++i) {
    Slot& slot = slots.at(i);
    const std::uint64_t old = slot.load(std::memory_order_relaxed);
    if (old != kEmpty && old != kTombstone) continue;
    if (old == kEmpty) ++used_;
    slot.store(word, std::memory_order_release);
    return;
  }
}

void Subtable::resize() {
  std::size_t count = kMinSlots;
  while (count < (matches_ + 1) * 2) count *= 2;
  Slots* grown = Slots::create(count);
  Slots* old = slots_.load(std::memory_order_relaxed);
  used_ = 0;
  for (std::size_t i = 0; i <= old->last; ++i) {
    const std::uint64_t slot = old->at(i).load(std::memory_order_relaxed);
    if (slot != kEmpty && slot != kTombstone) put(*grown, slot, hash(*to_node(slot)));
  }
  slots_.store(grown, std::memory_order_release);
  reclaimer_.retire(old, &Slots::destroy);
}

}  // namespace hoist::software
