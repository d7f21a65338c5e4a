// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "hoist/datapath.hpp"
#include "hoist/match.hpp"
#include "hoist/types.hpp"
#include "packet/packet_class.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

struct Program;  // pipeline/program.hpp: a rule's instructions, compiled.

/// What a table holds for one rule. Owned by its Classifier, read by workers.
struct Entry {
  const Program* program;
  RuleId rule;
  std::uint16_t priority;
};

/// One OpenFlow table: finds the rule of highest priority that matches a key.
///
/// Many readers (workers), one writer (control thread), no lock. A change becomes visible at a version:
/// a reader passes the version that it loaded once for its burst and sees exactly the rules of that
/// version, so that any number of changes in any number of tables are one step.
class Classifier {
 public:
  using Version = Datapath::Version;

  static std::unique_ptr<Classifier> create(Reclaimer& reclaimer);
  virtual ~Classifier() = default;

  /// Control thread. Readers of version `from` and later see the entry. `program` must outlive it.
  virtual Entry* insert(const MiniMatch& match, std::uint16_t priority, RuleId rule,
                        const Program* program, Version from) = 0;
  /// Control thread. Readers of version `from` and later no longer see it; it is unlinked by a
  /// settle() at or past `from` and freed when no reader can hold it.
  virtual void remove(Entry* entry, Version from) = 0;
  /// Control thread: no reader is, or will be, at a version below `version`. Also does some microseconds
  /// of upkeep: call it every few milliseconds while there may be something to improve, with the same
  /// version if need be.
  virtual void settle(Version version) = 0;

  /// Worker. Null: no match.
  [[nodiscard]] virtual const Entry* lookup(const FlowKey& key, Version version) const noexcept = 0;
  /// Worker. The same for up to 64 keys at once, which hides memory latency.
  virtual void lookup(std::span<const FlowKey* const> keys, Version version,
                      const Entry** out) const noexcept = 0;

  /// Control thread. The union of the masks of all rules (of any version not yet settled) that a packet
  /// of this class from this port could be compared with before its match is certain: rules that a
  /// match-all for (in_port, class) of higher priority hides are left out. Bits outside are never
  /// consulted for such packets. Grows at once; may shrink late.
  [[nodiscard]] virtual FlowKey consulted(PortNo in_port, PacketClass packet_class) const = 0;
  /// Changes whenever an answer of consulted() may have changed.
  [[nodiscard]] virtual std::uint64_t consulted_generation() const = 0;

  [[nodiscard]] virtual std::size_t rule_count() const = 0;
  [[nodiscard]] virtual std::size_t mask_count() const = 0;
};

}  // namespace hoist::software
