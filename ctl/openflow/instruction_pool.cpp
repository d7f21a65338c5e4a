// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/instruction_pool.hpp"

#include <algorithm>
#include <utility>

namespace hoist::openflow {
namespace {

constexpr std::size_t mixed(std::size_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// The actions by which rules differ most; all others count by their kind alone.
struct ActionHash {
  std::size_t operator()(const OutputAction& a) const noexcept { return to_integer(a.port); }
  std::size_t operator()(const SetFieldAction& a) const noexcept {
    return mixed(static_cast<std::size_t>(a.field), low64(a.value));
  }
  std::size_t operator()(const ResubmitAction& a) const noexcept { return a.table_id; }
  std::size_t operator()(const GroupAction& a) const noexcept { return a.group_id; }
  std::size_t operator()(const MeterAction& a) const noexcept { return a.meter_id; }
  std::size_t operator()(const SetQueueAction& a) const noexcept { return a.queue_id; }
  template <class Other>
  std::size_t operator()(const Other& /*action*/) const noexcept {
    return 0;
  }
};

std::size_t hash_of(std::size_t hash, const ActionList& actions) noexcept {
  for (const Action& action : actions) {
    hash = mixed(hash, action.index() << 56 ^ std::visit(ActionHash{}, action));
  }
  return mixed(hash, actions.size());
}

}  // namespace

std::size_t InstructionPool::Hash::operator()(const Instructions& i) const noexcept {
  std::size_t hash = hash_of(1, i.apply_actions);
  hash = hash_of(hash, i.write_actions);
  if (i.meter_id) hash = mixed(hash, *i.meter_id);
  if (i.write_metadata) hash = mixed(hash, i.write_metadata->value);
  return mixed(hash, i.goto_table ? *i.goto_table + 1u : 0u);
}

std::size_t InstructionPool::HashOfList::operator()(const ActionList& actions) const noexcept {
  return hash_of(1, actions);
}

std::shared_ptr<const Instructions> InstructionPool::intern(Instructions&& instructions) {
  if (last_ && *last_ == instructions) return last_;
  auto found = set_.find(instructions);
  if (found == set_.end()) {
    if (set_.size() >= sweep_at_) sweep();
    share(instructions.apply_actions);
    share(instructions.write_actions);
    found = set_.insert(std::make_shared<const Instructions>(std::move(instructions))).first;
  }
  last_ = *found;
  return last_;
}

/// Rules that differ in their meter or cookie alone have one list.
void InstructionPool::share(ActionList& actions) {
  if (!actions.empty()) actions = *lists_.insert(actions).first;
}

/// Drops what no rule uses any more. A count of one is the pool's own and cannot grow behind its
/// back: only the control thread copies from here.
void InstructionPool::sweep() {
  last_.reset();
  absl::erase_if(set_, [](const Pointer& p) { return p.use_count() == 1; });
  absl::erase_if(lists_, [](const ActionList& actions) { return !actions.is_shared(); });
  sweep_at_ = std::max<std::size_t>(1024, set_.size() * 2);
}

}  // namespace hoist::openflow
