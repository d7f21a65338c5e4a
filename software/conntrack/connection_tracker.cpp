// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/connection_tracker.hpp"

#include <algorithm>
#include <mutex>

#include "conntrack/helped_connection.hpp"
#include "conntrack/nat_choice.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using State = CtState;
using Refusal = TrackOutcome::Refusal;

constexpr std::uint8_t kNatBits = State::kSourceNat | State::kDestinationNat;

bool is_icmp(std::uint8_t ip_proto) noexcept {
  return ip_proto == wire::kIpIcmp || ip_proto == wire::kIpIcmpv6;
}

/// Says whether a packet without a connection may start one.
bool is_opening(const TrackedPacket& packet) noexcept {
  switch (packet.tuple.ip_proto) {
    case wire::kIpTcp:
      return may_open(packet.tcp);
    case wire::kIpIcmp: {
      const unsigned type = packet.tuple.dst_port.host() >> 8;
      return packet.tuple.family != 4 || type == 8 || type == 13 || type == 15;
    }
    case wire::kIpIcmpv6:
      return packet.tuple.family != 6 || packet.tuple.dst_port.host() >> 8 == 128;
    default:
      return true;
  }
}

Timeout first_timer(std::uint8_t ip_proto) noexcept {
  if (ip_proto == wire::kIpTcp) return Timeout::kTcpSynSent;
  return is_icmp(ip_proto) ? Timeout::kIcmpFirst : Timeout::kUdpFirst;
}

/// Says whether a helper understands what goes over this protocol.
bool fits(Helper helper, std::uint8_t ip_proto) noexcept {
  return (helper == Helper::kFtp && ip_proto == wire::kIpTcp) ||
         (helper == Helper::kTftp && ip_proto == wire::kIpUdp);
}

std::uint8_t state_of(TrackVerdict verdict, bool is_reply, const Connection& c) noexcept {
  if (verdict == TrackVerdict::kInvalid) return State::kInvalid;
  unsigned state = verdict == TrackVerdict::kValid ? State::kEstablished : State::kNew;
  if (verdict == TrackVerdict::kValid && is_reply) state |= State::kReply;
  if (c.is_expected()) state |= State::kRelated;
  return static_cast<std::uint8_t>(state);
}

}  // namespace

Result<std::unique_ptr<ConnectionTracker>> ConnectionTracker::create(const Config& config) {
  auto tracker = std::unique_ptr<ConnectionTracker>(new ConnectionTracker);
  auto table = ConnectionTable::create({.capacity = config.capacity, .seed = config.seed});
  if (!table) return tl::unexpected(table.error());
  tracker->table_ = std::move(*table);
  auto zones = ZoneTable::create();
  if (!zones) return tl::unexpected(zones.error());
  tracker->zones_ = std::move(*zones);
  auto helpers = ConnectionHelpers::create(config.seed);
  if (!helpers) return tl::unexpected(helpers.error());
  tracker->helpers_ = std::move(*helpers);
  tracker->nat_seed_ = config.seed * 0x9e3779b97f4a7c15u + 1;
  tracker->set_connections_most(config.connections_most);
  return tracker;
}

TrackOutcome ConnectionTracker::track(const TrackRequest& request, const TrackedPacket& packet,
                                      const Moment& moment, PacketTrack& track) noexcept {
  TrackOutcome outcome;
  if (track_again(request, track, outcome)) return outcome;
  if (track.state != 0 && track.zone != request.zone) track = {};
  track.zone = request.zone;
  track.connection = {};
  track.is_related = packet.is_related;
  if (!packet.is_sound) {
    track = {.state = State::kInvalid | State::kTracked, .zone = request.zone};
    return outcome;
  }
  track.mark = 0;
  track.label = {};
  track.original = packet.tuple;
  auto found = table_->find(packet.tuple, moment.now_ms);
  if (found.connection != nullptr && request.forces && found.is_reply) {
    remove(found.ref);
    found = {};
  }
  if (found.connection == nullptr || !meet(found, packet, moment.now_ms, track)) {
    meet_stranger(request, packet, moment, track, outcome);
  }
  track.state |= State::kTracked;
  if (track.connection.is_none()) return outcome;
  if (request.translates) translate(track, outcome);
  relabel(request, track);
  const bool is_part = !packet.is_related && (track.state & State::kInvalid) == 0;
  outcome.is_helped = is_part && table_->at(track.connection.index).is_helped();
  return outcome;
}

void ConnectionTracker::prefetch(const Tuple& tuple) const noexcept {
  table_->prefetch(table_->hash(words_of(tuple)));
  table_->prefetch(table_->hash(words_of(reversed(tuple))));
}

bool ConnectionTracker::track_again(const TrackRequest& request, PacketTrack& track,
                                    TrackOutcome& outcome) noexcept {
  const ConnectionRef ref = track.connection;
  if (ref.is_none() || request.forces || track.zone != request.zone) return false;
  const Connection& c = table_->at(ref.index);
  if (c.generation.load(std::memory_order_acquire) != ref.generation) return false;
  if (request.translates) translate(track, outcome);
  relabel(request, track);
  return true;
}

bool ConnectionTracker::follow(const TrackRequest& request, const FollowingPacket& packet,
                               std::uint64_t now_ms, PacketTrack& track,
                               TrackOutcome& outcome) noexcept {
  Connection& c = table_->at(track.connection.index);
  if (c.expires_ms.load(std::memory_order_relaxed) <= now_ms) return false;
  TrackVerdict verdict;
  if (!update(track.connection, packet, track.is_reply, now_ms, verdict)) return false;
  track.zone = request.zone;
  track.is_related = false;
  track.state = static_cast<std::uint8_t>(state_of(verdict, track.is_reply, c) | State::kTracked);
  if (request.translates) translate(track, outcome);
  track.label_changes = c.label_changes.load(std::memory_order_relaxed);
  return true;
}

/// Finds out what the packet is to its connection. False: it has none after all.
bool ConnectionTracker::meet(const ConnectionTable::Found& found, const TrackedPacket& packet,
                             std::uint64_t now_ms, PacketTrack& track) noexcept {
  const auto kept = static_cast<std::uint8_t>(track.state & kNatBits);
  track.is_reply = found.is_reply;
  track.connection = found.ref;
  if (packet.is_related) {
    track.state =
        static_cast<std::uint8_t>(kept | State::kRelated | (found.is_reply ? State::kReply : 0));
    return true;
  }
  TrackVerdict verdict;
  const bool is_there =
      update(found.ref, {packet.tuple.ip_proto, packet.tcp}, found.is_reply, now_ms, verdict);
  if (!is_there || verdict == TrackVerdict::kReopens) {
    if (is_there) remove(found.ref);
    track.connection = {};
    return false;
  }
  const std::uint8_t state = state_of(verdict, found.is_reply, *found.connection);
  const bool is_invalid = state == State::kInvalid;
  track.state = is_invalid ? state : static_cast<std::uint8_t>(kept | state);
  return true;
}

void ConnectionTracker::meet_stranger(const TrackRequest& request, const TrackedPacket& packet,
                                      const Moment& moment, PacketTrack& track,
                                      TrackOutcome& outcome) noexcept {
  track.connection = {};
  track.is_reply = false;
  track.state = State::kInvalid;
  if (packet.is_related || !is_opening(packet)) return;
  track.state = State::kNew;
  Expectation expectation;
  const bool is_expected = find_expected(packet.tuple, moment.now_ms, expectation);
  if (is_expected) {
    track.state |= State::kRelated;
    track.mark = expectation.mark;
    track.label = expectation.label;
    track.original = expectation.parent;
  }
  if (!request.commits) return;
  Opening opening{request, packet, moment, is_expected ? &expectation : nullptr};
  const ConnectionTable::Inserted inserted = commit(opening, outcome);
  if (outcome.refusal != Refusal::kNone) {
    refused_[static_cast<std::size_t>(outcome.refusal)].fetch_add(1, std::memory_order_relaxed);
  }
  if (inserted.outcome == ConnectionTable::Insertion::kDone) {
    track.connection = inserted.ref;
  } else if (inserted.outcome == ConnectionTable::Insertion::kExists) {
    // Another worker was quicker.
    const auto found = table_->find(packet.tuple, moment.now_ms);
    if (found.connection == nullptr || !meet(found, packet, moment.now_ms, track)) {
      track.connection = {};
      track.state = State::kNew;
    }
  }
}

bool ConnectionTracker::find_expected(const Tuple& tuple, std::uint64_t now_ms,
                                      Expectation& out) noexcept {
  if (!helpers_.expectations().find(tuple, out)) return false;
  const Connection& parent = table_->at(out.by.index);
  return parent.expires_ms.load(std::memory_order_relaxed) > now_ms &&
         parent.generation.load(std::memory_order_acquire) == out.by.generation;
}

ConnectionTable::Inserted ConnectionTracker::commit(Opening& opening,
                                                    TrackOutcome& outcome) noexcept {
  using Insertion = ConnectionTable::Insertion;
  const std::uint16_t zone = opening.request.zone;
  if (!zones_.admit(zone)) {
    outcome.refusal = Refusal::kZoneLimit;
    return {Insertion::kFull, {}};
  }
  ConnectionTable::Inserted inserted{Insertion::kFull, {}};
  // Relaxed: a count, in no order with anything.
  if (count_.fetch_add(1, std::memory_order_relaxed) < connections_most()) {
    const bool is_helped = fits(opening.request.helper, opening.packet.tuple.ip_proto);
    if (is_helped) opening.helper = helpers_.take(opening.request.helper);
    inserted = insert(opening, outcome);
    if (inserted.outcome == Insertion::kDone) return inserted;
    if (opening.helper != 0) helpers_.give_back(opening.helper);
  }
  if (inserted.outcome == Insertion::kFull && outcome.refusal == Refusal::kNone) {
    outcome.refusal = Refusal::kTableFull;
  }
  count_.fetch_sub(1, std::memory_order_relaxed);
  zones_.release(zone);
  return inserted;
}

/// Sets all of a new connection but tuples and generation.
void ConnectionTracker::fill(const Opening& opening, Connection& c) const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint8_t ip_proto = opening.packet.tuple.ip_proto;
  const std::uint8_t policy = timeouts_.of(opening.request.zone);
  const Expectation* expected = opening.expected;
  c.policy.store(policy, kRelaxed);
  c.label_changes.store(0, kRelaxed);
  c.expires_ms.store(opening.moment.now_ms + timeouts_.ms(policy, first_timer(ip_proto)), kRelaxed);
  c.mark.store(expected == nullptr ? 0 : expected->mark, kRelaxed);
  for (std::size_t i = 0; i < 2; ++i) {
    c.label[i].store(expected == nullptr ? 0 : expected->label[i], kRelaxed);
  }
  c.exchange.store(ExchangeState::kFirst, kRelaxed);
  c.nat.store(opening.nat(), kRelaxed);
  const unsigned ties = (expected == nullptr ? 0u : Connection::kExpected) |
                        (opening.helper == 0 ? 0u : Connection::kHelped);
  c.ties.store(static_cast<std::uint8_t>(ties), kRelaxed);
  if (expected != nullptr) c.parent.store(expected->parent);
  if (opening.helper != 0) c.helper.store(opening.helper, kRelaxed);
  if (ip_proto == wire::kIpTcp) c.peers = open(opening.packet.tcp);
}

// Whose time is over makes room for us.
ConnectionTable::Inserted ConnectionTracker::insert_as(const Opening& opening,
                                                       const Tuple& reply) noexcept {
  const auto filled = [&](Connection& c) { fill(opening, c); };
  for (;;) {
    const auto inserted = table_->insert(opening.packet.tuple, reply, filled, opening.moment.arena);
    if (inserted.outcome != ConnectionTable::Insertion::kExists) return inserted;
    const Connection& other = table_->at(inserted.ref.index);
    if (other.expires_ms.load(std::memory_order_relaxed) > opening.moment.now_ms) return inserted;
    remove(inserted.ref);
  }
}

ConnectionTable::Inserted ConnectionTracker::insert(const Opening& opening,
                                                    TrackOutcome& outcome) noexcept {
  using Insertion = ConnectionTable::Insertion;
  const Tuple& tuple = opening.packet.tuple;
  const std::uint64_t now_ms = opening.moment.now_ms;
  if (opening.nat() == NatKind::kNone) return insert_as(opening, reversed(tuple));
  // Whose tuple is taken: ours, by another worker, or the reply's?
  const auto is_ours = [&] { return table_->find(tuple, now_ms).connection != nullptr; };
  if (opening.expected != nullptr) {
    const auto inserted = insert_as(opening, expected_reply(*opening.expected, tuple));
    if (inserted.outcome != Insertion::kExists || is_ours()) return inserted;
  } else {
    NatChoice choice(tuple, opening.request.nat, {nat_seed_, opening.moment.random});
    while (choice.next()) {
      if (table_->find(choice.reply(), now_ms).connection != nullptr) continue;
      const auto inserted = insert_as(opening, choice.reply());
      if (inserted.outcome != Insertion::kExists || is_ours()) return inserted;
    }
  }
  outcome.refusal = Refusal::kNatExhausted;
  return {Insertion::kFull, {}};
}

bool ConnectionTracker::update(ConnectionRef ref, const FollowingPacket& packet, bool is_reply,
                               std::uint64_t now_ms, TrackVerdict& verdict) noexcept {
  if (packet.ip_proto != wire::kIpTcp) {
    return update_exchange(ref, is_icmp(packet.ip_proto), is_reply, now_ms, verdict);
  }
  return update_tcp(ref, packet.tcp, is_reply, now_ms, verdict);
}

bool ConnectionTracker::update_tcp(ConnectionRef ref, const TcpSegment& segment, bool is_reply,
                                   std::uint64_t now_ms, TrackVerdict& verdict) noexcept {
  Connection& c = table_->at(ref.index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != ref.generation) return false;
  TcpSegment sent = segment;
  if (c.is_helped() && segment.has(TcpSegment::kAck)) {
    // What it acknowledges is counted as the other end counts it.
    const HelperRecord& helper = helpers_.at(c.helper.load(std::memory_order_relaxed));
    sent.acknowledged -= helper.shifts[is_reply ? 0 : 1].of_acknowledged(segment.acknowledged);
  }
  const TcpUpdate done = software::update(c.peers, sent, is_reply, checks_tcp_window());
  verdict = done.verdict;
  if (done.is_timer_set) {
    const std::uint64_t ms = timeouts_.ms(c.policy.load(std::memory_order_relaxed), done.timer);
    c.expires_ms.store(now_ms + ms, std::memory_order_relaxed);
  }
  return true;
}

// Of a connection that goes on as it is, nothing is written twice in a millisecond.
bool ConnectionTracker::update_exchange(ConnectionRef ref, bool is_icmp, bool is_reply,
                                        std::uint64_t now_ms, TrackVerdict& verdict) noexcept {
  using E = ExchangeState;
  Connection& c = table_->at(ref.index);
  const auto next_of = [&](E now) {
    if (now == E::kBoth || is_reply) return E::kBoth;
    return is_icmp ? E::kFirst : E::kMultiple;
  };
  const auto timer_of = [&](E now) {
    if (now == E::kBoth) return is_icmp ? Timeout::kIcmpReply : Timeout::kUdpMultiple;
    return is_icmp ? Timeout::kIcmpFirst : Timeout::kUdpSingle;
  };
  E now = c.exchange.load(std::memory_order_relaxed);
  E next = next_of(now);
  const std::uint8_t policy = c.policy.load(std::memory_order_relaxed);
  std::uint64_t expires_ms = now_ms + timeouts_.ms(policy, timer_of(next));
  if (next != now || c.expires_ms.load(std::memory_order_relaxed) != expires_ms) {
    const std::lock_guard guard(c.lock);
    if (c.generation.load(std::memory_order_relaxed) != ref.generation) return false;
    now = c.exchange.load(std::memory_order_relaxed);
    next = next_of(now);
    expires_ms = now_ms + timeouts_.ms(policy, timer_of(next));
    if (next != now) c.exchange.store(next, std::memory_order_relaxed);
    c.expires_ms.store(expires_ms, std::memory_order_relaxed);
  } else if (c.generation.load(std::memory_order_acquire) != ref.generation) {
    return false;
  }
  verdict = next == E::kBoth ? TrackVerdict::kValid : TrackVerdict::kValidNew;
  return true;
}

void ConnectionTracker::translate(PacketTrack& track, TrackOutcome& outcome) noexcept {
  if ((track.state & (kNatBits | State::kInvalid)) != 0) return;
  Connection& c = table_->at(track.connection.index);
  const NatKind kind = c.nat.load(std::memory_order_relaxed);
  if (kind == NatKind::kNone) return;
  const bool moves_source = (kind == NatKind::kSource) != track.is_reply;
  const Tuple back = track.is_reply ? c.forward.load() : c.reply.load();
  if (c.generation.load(std::memory_order_acquire) != track.connection.generation) return;
  track.state |= moves_source ? State::kSourceNat : State::kDestinationNat;
  outcome.translated = reversed(back);
}

void ConnectionTracker::describe(PacketTrack& track) noexcept {
  if (track.connection.is_none()) return;
  Connection& c = table_->at(track.connection.index);
  const std::lock_guard guard(c.lock);
  track.label_changes = c.label_changes.load(std::memory_order_relaxed);
  track.mark = c.mark.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < 2; ++i) track.label[i] = c.label[i].load(std::memory_order_relaxed);
  track.original = c.is_expected() ? c.parent.load() : c.forward.load();
}

void ConnectionTracker::relabel(const TrackRequest& request, const PacketTrack& track) noexcept {
  if (request.mark_mask == 0 && (request.label_mask[0] | request.label_mask[1]) == 0) return;
  Connection& c = table_->at(track.connection.index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != track.connection.generation) return;
  if (c.is_expected()) return;
  bool is_changed = false;
  const auto rewrite = [&is_changed](auto& word, auto value, auto mask) {
    const auto before = word.load(std::memory_order_relaxed);
    const auto after = (value & mask) | (before & ~mask);
    if (after == before) return;
    word.store(after, std::memory_order_relaxed);
    is_changed = true;
  };
  rewrite(c.mark, request.mark, request.mark_mask);
  for (std::size_t i = 0; i < 2; ++i) rewrite(c.label[i], request.label[i], request.label_mask[i]);
  if (!is_changed) return;
  const auto changes = c.label_changes.load(std::memory_order_relaxed) + 1;
  // Release: pairs with nothing but itself; a worker that sees it late acts a packet late.
  c.label_changes.store(static_cast<std::uint16_t>(changes), std::memory_order_release);
}

bool ConnectionTracker::remove(ConnectionRef ref) noexcept {
  // While it lives, its helper is the same one.
  const Connection& c = table_->at(ref.index);
  const std::uint32_t helper = c.is_helped() ? c.helper.load(std::memory_order_relaxed) : 0;
  Tuple forward;
  if (!table_->remove(ref, forward)) return false;
  if (helper != 0) helpers_.give_back(helper);
  zones_.release(forward.zone);
  count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

std::uint32_t ConnectionTracker::sweep(std::uint64_t now_ms, std::uint32_t places) noexcept {
  const std::uint32_t end = table_->end();
  if (end == 0) return 0;
  std::uint32_t first = sweep_at_.fetch_add(places, std::memory_order_relaxed);
  if (first >= end) {
    sweep_at_.store(places, std::memory_order_relaxed);
    first = 0;
  }
  std::uint32_t forgotten = 0;
  const std::uint32_t last = std::min(end, first + places);
  for (std::uint32_t i = first; i < last; ++i) {
    const Connection& c = table_->at(i);
    const std::uint32_t generation = c.generation.load(std::memory_order_acquire);
    if (!is_live(generation) || c.expires_ms.load(std::memory_order_relaxed) > now_ms) continue;
    if (remove({i, generation})) ++forgotten;
  }
  return forgotten;
}

}  // namespace hoist::software
