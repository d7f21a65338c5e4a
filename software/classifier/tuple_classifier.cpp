// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/tuple_classifier.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace hoist::software {

std::unique_ptr<Classifier> Classifier::create(Reclaimer& reclaimer) {
  return std::make_unique<TupleClassifier>(reclaimer);
}

TupleClassifier::TupleClassifier(Reclaimer& reclaimer)
    : reclaimer_(reclaimer), list_(new SubtableList({})) {}

TupleClassifier::~TupleClassifier() { delete list_.load(std::memory_order_relaxed); }

Subtable& TupleClassifier::subtable_for(const MiniMatch& match) {
  const std::uint64_t h = FlowMask::hash(match);
  const auto [first, last] = subtables_.equal_range(h);
  const auto found = std::find_if(
      first, last, [&](const auto& item) { return item.second->mask().is_mask_of(match); });
  if (found != last) return *found->second;
  if (list_.load(std::memory_order_relaxed)->is_full()) publish_list();
  auto made = std::make_unique<Subtable>(FlowMask(match), reclaimer_);
  Subtable& subtable = *subtables_.emplace(h, std::move(made))->second;
  list_.load(std::memory_order_relaxed)->append(&subtable);
  is_list_stale_ = true;
  return subtable;
}

Entry* TupleClassifier::insert(const MiniMatch& match, std::uint16_t priority, RuleId rule,
                               const Program* program, Version from) {
  Subtable& subtable = subtable_for(match);
  Node* node = Node::create({program, rule, priority}, from, match, &subtable);
  const RuleShape shape = rule_shape(subtable.mask(), node->values());
  if (subtable.link(node)) {
    list_.load(std::memory_order_relaxed)->raise(&subtable, priority);
    is_list_stale_ = true;
  }
  consulted_.add(subtable.mask(), shape, priority);
  if (shape.covers != 0) covers_.push_back({node, from});
  ++rule_count_;
  return node;
}

void TupleClassifier::remove(Entry* entry, Version from) {
  Node* node = static_cast<Node*>(entry);
  assert(node->to.load(std::memory_order_relaxed) == Node::kForever);
  // Relaxed: readers that must know acquire it with the version, which is published later.
  node->to.store(from, std::memory_order_relaxed);
  removed_.push_back({node, from});
  --rule_count_;
  const RuleShape shape = rule_shape(node->home->mask(), node->values());
  if (shape.covers == 0) return;
  const auto pending = std::ranges::find(covers_, node, &Pending::node);
  if (pending != covers_.end()) {
    covers_.erase(pending);
  } else {
    consulted_.unhide(shape, node->priority);
  }
}

void TupleClassifier::settle(Version version) {
  while (!removed_.empty() && removed_.front().version <= version) {
    unlink(removed_.front().node);
    removed_.pop_front();
  }
  while (!covers_.empty() && covers_.front().version <= version) {
    const Node& node = *covers_.front().node;
    consulted_.hide(rule_shape(node.home->mask(), node.values()), node.priority);
    covers_.pop_front();
  }
  if (is_list_stale_) publish_list();
}

void TupleClassifier::unlink(Node* node) {
  Subtable& subtable = *node->home;
  if (subtable.unlink(node)) is_list_stale_ = true;
  consulted_.remove(subtable.mask(), rule_shape(node->home->mask(), node->values()),
                    node->priority);
  reclaimer_.retire(node, [](void* p) { Node::destroy(static_cast<Node*>(p)); });
}

void TupleClassifier::publish_list() {
  std::vector<const Subtable*> subtables;
  subtables.reserve(subtables_.size());
  for (auto it = subtables_.begin(); it != subtables_.end();) {
    if (it->second->is_empty()) {
      reclaimer_.retire(std::move(it->second));
      it = subtables_.erase(it);
    } else {
      subtables.push_back(it->second.get());
      ++it;
    }
  }
  SubtableList* old = list_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in lookup().
  list_.store(new SubtableList(std::move(subtables)), std::memory_order_release);
  reclaimer_.retire(std::unique_ptr<SubtableList>(old));
  is_list_stale_ = false;
}

const Entry* TupleClassifier::lookup(const FlowKey& key, Version version) const noexcept {
  const Node* best = nullptr;
  for (const SubtableList::Item& item : list_.load(std::memory_order_acquire)->items()) {
    if (best != nullptr && item.bound.load(std::memory_order_relaxed) <= best->priority) break;
    const Node* found = item.subtable.load(std::memory_order_relaxed)->find(key, version);
    if (found != nullptr && (best == nullptr || found->priority > best->priority)) best = found;
  }
  return best;
}

void TupleClassifier::lookup(std::span<const FlowKey* const> keys, Version version,
                             const Entry** out) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = lookup(*keys[i], version);
}

FlowKey TupleClassifier::consulted(PortNo in_port, PacketClass packet_class) const {
  return consulted_.consulted(in_port, packet_class);
}

std::uint64_t TupleClassifier::consulted_generation() const { return consulted_.generation(); }

}  // namespace hoist::software
