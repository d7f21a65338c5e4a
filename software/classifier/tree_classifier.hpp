// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "classifier/classifier.hpp"
#include "classifier/consulted_index.hpp"
#include "classifier/hash_tree.hpp"
#include "classifier/mask_registry.hpp"

namespace hoist::software {

/// A table as a hash tree.
///
/// 1. An entry is linked before its first version is published and unlinked after its last one is
/// gone,
///    so that a reader of any version in between finds it, whatever else changes meanwhile.
/// 2. Equal matches are one chain, in descending order of priority; the tree holds its first entry.
/// 3. When a table has changed much (doubled under way, or a quarter when changes have paused), a
/// second
///    tree whose masks suit it is grown beside the first, a few entries with each change and each
///    settle(), and takes its place when it holds them all.
class TreeClassifier final : public Classifier {
 public:
  explicit TreeClassifier(Reclaimer& reclaimer);
  ~TreeClassifier() override;

  Entry* insert(const MiniMatch& match, std::uint16_t priority, RuleId rule, const Program* program,
                Version from) override;
  void remove(Entry* entry, Version from) override;
  void settle(Version version) override;

  [[nodiscard]] const Entry* lookup(const FlowKey& key, Version version) const noexcept override;
  void lookup(std::span<const FlowKey* const> keys, Version version,
              const Entry** out) const noexcept override;

  [[nodiscard]] FlowKey consulted(PortNo in_port, PacketClass packet_class) const override;
  [[nodiscard]] std::uint64_t consulted_generation() const override;
  [[nodiscard]] std::size_t rule_count() const override { return rule_count_; }
  [[nodiscard]] std::size_t mask_count() const override { return masks_.size(); }

 private:
  struct Pending {
    StoredEntry* entry;
    Version version;  ///< To be done once this is settled.
  };

  [[nodiscard]] HashTree& tree() noexcept { return *tree_.load(std::memory_order_relaxed); }
  void link(StoredEntry* entry);
  void unlink(StoredEntry* entry);
  void unchain(StoredEntry* entry);
  void place(StoredEntry* chain);
  void erase_from_list(StoredEntry* entry);

  void upkeep(std::size_t steps, std::size_t changes_allowed);
  void grow_next(std::size_t steps);
  [[nodiscard]] double sampled_cost();
  [[nodiscard]] std::vector<StoredEntry*> sample();

  Reclaimer& reclaimer_;
  MaskRegistry masks_;
  std::vector<StoredEntry*> entries_;  ///< All that are linked, in no order.
  std::atomic<HashTree*> tree_;
  std::unique_ptr<HashTree> next_;  ///< Being grown: holds the chains of entries_[0, next_holds_).
  std::size_t next_holds_ = 0;
  std::size_t changes_ = 0;  ///< Since the tree's shape was last in question.

  ConsultedIndex consulted_;
  std::deque<Pending> removed_;  ///< Not yet unlinked, in the order of remove().
  std::deque<Pending> covers_;   ///< Match-alls that do not hide anything yet.
  std::size_t rule_count_ = 0;
};

}  // namespace hoist::software
