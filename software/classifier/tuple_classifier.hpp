// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "classifier/classifier.hpp"
#include "classifier/consulted_index.hpp"
#include "classifier/subtable.hpp"
#include "classifier/subtable_list.hpp"

namespace hoist::software {

/// A hash subtable for each mask, searched in order of their highest priority.
///
/// 1. An entry is linked before its first version is published and unlinked after its last one is
/// gone,
///    so that a reader of any version in between finds it, whatever else changes meanwhile.
/// 2. Readers follow one published list of subtables. Its bounds hold at all times; its order is
/// put
///    right by settle().
class TupleClassifier final : public Classifier {
 public:
  explicit TupleClassifier(Reclaimer& reclaimer);
  ~TupleClassifier() override;

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
  [[nodiscard]] std::size_t mask_count() const override { return subtables_.size(); }

 private:
  struct Pending {
    Node* node;
    Version version;  ///< Settled once this is.
  };

  [[nodiscard]] Subtable& subtable_for(const MiniMatch& match);
  void unlink(Node* node);
  void publish_list();  ///< All subtables in their present order, without empty ones.

  Reclaimer& reclaimer_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Subtable>>
      subtables_;  ///< By mask's hash.
  std::atomic<SubtableList*> list_;
  ConsultedIndex consulted_;
  std::deque<Pending> removed_;  ///< Not yet unlinked, in the order of remove().
  std::deque<Pending> covers_;   ///< Match-alls that do not hide anything yet.
  bool is_list_stale_ = false;
  std::size_t rule_count_ = 0;
};

}  // namespace hoist::software
