// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/helped_connection.hpp"

#include <mutex>

namespace hoist::software {

HelpedConnection::HelpedConnection(ConnectionTracker& tracker, ConnectionRef ref) noexcept
    : tracker_(tracker), ref_(ref) {
  Connection& c = tracker.table().at(ref.index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != ref.generation) return;
  number_ = c.helper.load(std::memory_order_relaxed);
  if (number_ == 0) return;
  const HelperRecord& record = tracker.helpers().at(number_);
  helper_ = record.helper;
  shifts_ = record.shifts;
  nat_ = c.nat.load(std::memory_order_relaxed);
  forward_ = c.forward.load();
  reply_ = c.reply.load();
  mark_ = c.mark.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < 2; ++i) label_[i] = c.label[i].load(std::memory_order_relaxed);
}

void HelpedConnection::grow(bool is_reply, std::uint32_t sequence, std::int32_t bytes) noexcept {
  Connection& c = tracker_.table().at(ref_.index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != ref_.generation) return;
  SequenceShift& shift = tracker_.helpers().at(number_).shifts[is_reply ? 1 : 0];
  shift.add(sequence, bytes);
  shifts_[is_reply ? 1 : 0] = shift;
}

// The connection is held: its helper's record must not be given back meanwhile.
void HelpedConnection::expect(bool is_reply, Be16 port, Be16 own_port) noexcept {
  Expectation e{.tuple = is_reply ? forward_ : reply_,
                .parent = forward_,
                .by = ref_,
                .mark = mark_,
                .label = label_,
                .nat = NatKind::kNone,
                .nat_port = Be16{0},
                .nat_address = {}};
  e.tuple.src_port = Be16{0};
  e.tuple.dst_port = port;
  if (nat_ != NatKind::kNone) {
    // Seen from the other end, what was a source is a destination.
    const bool moves_source = (nat_ == NatKind::kSource) == is_reply;
    e.nat = moves_source ? NatKind::kSource : NatKind::kDestination;
    const Tuple& other = is_reply ? reply_ : forward_;
    e.nat_address = moves_source ? other.dst : other.src;
    if (!moves_source && own_port != port) e.nat_port = own_port;
  }
  Connection& c = tracker_.table().at(ref_.index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != ref_.generation) return;
  tracker_.helpers().expectations().add(e, tracker_.helpers().at(number_).expected);
}

Tuple expected_reply(const Expectation& expectation, const Tuple& tuple) noexcept {
  Tuple reply = reversed(tuple);
  if (expectation.nat == NatKind::kSource) reply.dst = expectation.nat_address;
  if (expectation.nat == NatKind::kDestination) {
    reply.src = expectation.nat_address;
    if (expectation.nat_port != Be16{0}) reply.src_port = expectation.nat_port;
  }
  return reply;
}

}  // namespace hoist::software
