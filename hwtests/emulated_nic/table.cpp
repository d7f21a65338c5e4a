// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <algorithm>

namespace emulated_nic {
namespace {

constexpr std::size_t kFirstBuckets = 8;

/// Folds the 128-bit product, so that every bit of `word` reaches the low bits that choose a
/// bucket.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ word) * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(const Fields& fields) {
  std::uint64_t hash = 1;
  for (const std::uint64_t word : fields.words) hash = mix(hash, word);
  return hash;
}

/// Whether `a` goes before `b` where both match.
bool is_better(const Rule& a, const Rule& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.sequence < b.sequence;
}

}  // namespace

Shape::Shape(const Fields& mask) : mask_(mask), buckets_(kFirstBuckets) {
  for (std::size_t i = 0; i < Fields::kWords; ++i) {
    if (mask.words[i] != 0) words_[word_count_++] = static_cast<std::uint8_t>(i);
  }
}

void Shape::prepare(const Fields& value, Rule& rule) const {
  rule.key = std::make_unique<std::uint64_t[]>(word_count_);
  rule.hash = 1;
  for (std::size_t i = 0; i < word_count_; ++i) {
    rule.key[i] = value.words[words_[i]];
    rule.hash = mix(rule.hash, rule.key[i]);
  }
}

bool Shape::same_key(const Rule& rule, const std::uint64_t* key) const {
  return std::equal(key, key + word_count_, rule.key.get());
}

const Rule* Shape::find_duplicate(const Rule& rule) const {
  for (const Rule* at = buckets_[rule.hash & (buckets_.size() - 1)]; at != nullptr; at = at->next) {
    if (at->hash == rule.hash && at->priority == rule.priority && same_key(*at, rule.key.get())) {
      return at;
    }
  }
  return nullptr;
}

void Shape::insert(Rule& rule) {
  if (rule_count_ >= buckets_.size()) grow();
  Rule** at = &buckets_[rule.hash & (buckets_.size() - 1)];
  while (*at != nullptr && is_better(**at, rule)) at = &(*at)->next;
  rule.next = *at;
  *at = &rule;
  ++rule_count_;
  ++levels_[rule.priority];
}

void Shape::remove(Rule& rule) {
  Rule** at = &buckets_[rule.hash & (buckets_.size() - 1)];
  while (*at != &rule) at = &(*at)->next;
  *at = rule.next;
  --rule_count_;
  const auto level = levels_.find(rule.priority);
  if (--level->second == 0) levels_.erase(level);
}

void Shape::grow() {
  std::vector<Rule*> old(buckets_.size() * 2);
  old.swap(buckets_);
  for (Rule* rule : old) {
    while (rule != nullptr) {
      Rule* next = rule->next;
      Rule** at = &buckets_[rule->hash & (buckets_.size() - 1)];
      while (*at != nullptr && is_better(**at, *rule)) at = &(*at)->next;
      rule->next = *at;
      *at = rule;
      rule = next;
    }
  }
}

Rule* Shape::find(const Fields& packet) const {
  std::array<std::uint64_t, Fields::kWords> key;
  std::uint64_t hash = 1;
  for (std::size_t i = 0; i < word_count_; ++i) {
    key[i] = packet.words[words_[i]] & mask_.words[words_[i]];
    hash = mix(hash, key[i]);
  }
  for (Rule* rule = buckets_[hash & (buckets_.size() - 1)]; rule != nullptr; rule = rule->next) {
    if (rule->hash == hash && same_key(*rule, key.data())) return rule;
  }
  return nullptr;
}

Fields Shape::value_of(const Rule& rule) const {
  Fields value;
  for (std::size_t i = 0; i < word_count_; ++i) value.words[words_[i]] = rule.key[i];
  return value;
}

Shape& Group::shape_for(const Fields& mask) {
  std::vector<Shape*>& candidates = by_mask_[hash_of(mask)];
  for (Shape* shape : candidates) {
    if (shape->mask() == mask) return *shape;
  }
  Shape& shape = *shapes_.emplace_back(std::make_unique<Shape>(mask));
  candidates.push_back(&shape);
  return shape;
}

void Group::insert(Rule& rule) {
  Shape& shape = *rule.shape;
  const bool was_empty = shape.empty();
  const bool changes_order = was_empty || rule.priority < shape.best_priority();
  shape.insert(rule);
  ++size_;
  if (was_empty) order_.push_back(&shape);
  if (changes_order) sort();
}

void Group::remove(Rule& rule) {
  Shape& shape = *rule.shape;
  const std::uint32_t best = shape.best_priority();
  shape.remove(rule);
  --size_;
  if (shape.empty()) {
    std::erase(order_, &shape);
  } else if (shape.best_priority() != best) {
    sort();
  }
}

void Group::sort() {
  std::stable_sort(order_.begin(), order_.end(), [](const Shape* a, const Shape* b) {
    return a->best_priority() < b->best_priority();
  });
}

Rule* Group::find(const Fields& packet) const {
  Rule* best = nullptr;
  for (const Shape* shape : order_) {
    if (best != nullptr && shape->best_priority() > best->priority) break;
    Rule* found = shape->find(packet);
    if (found != nullptr && (best == nullptr || is_better(*found, *best))) best = found;
  }
  return best;
}

}  // namespace emulated_nic
