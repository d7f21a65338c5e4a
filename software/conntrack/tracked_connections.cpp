// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/tracked_connections.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "conntrack/connection_filter.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

constexpr std::uint32_t kZones = 65536;
constexpr std::size_t kPolicies = 256;

ConnectionTimeouts seconds_of(const TimeoutPolicies& policies, std::uint8_t policy) noexcept {
  ConnectionTimeouts out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint32_t>(policies.ms(policy, static_cast<Timeout>(i)) / 1000);
  }
  return out;
}

TcpEndReport report_of(const TcpPeer& peer) noexcept {
  return {.state = static_cast<std::uint8_t>(peer.state),
          .window_scale = static_cast<std::uint8_t>(peer.scale & TcpPeer::kScaleMask),
          .has_window_scale = (peer.scale & TcpPeer::kHasScale) != 0,
          .is_liberal = (peer.scale & TcpPeer::kScaleUnknown) != 0};
}

constexpr std::array<std::string_view, 3> kHelperNames = {"", "ftp", "tftp"};

void copy_state(const Connection& c, std::uint64_t now_ms, ConnectionReport& report) {
  report.mark = c.mark.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t word = c.label[i].load(std::memory_order_relaxed);
    std::memcpy(report.label.data() + i * 8, &word, sizeof word);
  }
  report.timeout_ms = c.expires_ms.load(std::memory_order_relaxed) - now_ms;
  report.parent.reset();
  if (c.is_expected()) {
    report.parent = software::report_of(c.parent.load());
  }
  if (report.original.ip_proto == wire::kIpTcp) {
    for (std::size_t i = 0; i < 2; ++i) report.tcp[i] = report_of(c.peers[i]);
  }
}

}  // namespace

// The tuples of a place change only with its generation, so the filter is asked before the lock is
// taken: what is not meant costs a worker nothing.
bool TrackedConnections::read(std::uint32_t index, std::uint64_t now_ms,
                              const ConnectionFilter& filter, ConnectionRef& ref,
                              ConnectionReport& report) const {
  const ConnectionTable& table = tracker_.table();
  const Connection& seen = table.at(index);
  const std::uint32_t generation = seen.generation.load(std::memory_order_acquire);
  if (!is_live(generation) || seen.expires_ms.load(std::memory_order_relaxed) <= now_ms) {
    return false;
  }
  const Tuple forward = seen.forward.load();
  const Tuple reply = seen.reply.load();
  if (!fits(filter, forward, reply)) return false;
  report.original = software::report_of(forward);
  report.reply = software::report_of(reply);
  report.zone = forward.zone;
  report.bucket = table.hash(words_of(forward)) % kBuckets;
  ref = {index, generation};
  Connection& c = tracker_.table().at(index);
  const std::lock_guard guard(c.lock);
  if (c.generation.load(std::memory_order_relaxed) != generation) return false;
  if (c.expires_ms.load(std::memory_order_relaxed) <= now_ms) return false;
  copy_state(c, now_ms, report);
  const bool is_helped = c.is_helped();
  const std::uint32_t helper = is_helped ? c.helper.load(std::memory_order_relaxed) : 0;
  report.helper = kHelperNames[helper == 0 ? 0 : to_integer(tracker_.helpers().at(helper).helper)];
  return true;
}

template <class Body>
bool TrackedConnections::each(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
                              Body body) {
  const std::uint32_t end = tracker_.table().end();
  const std::uint32_t last = std::min(end, cursor.place + std::min(places, end));
  const std::uint64_t now_ms = config_.now_ms();
  ConnectionReport report;
  ConnectionRef ref;
  for (; cursor.place < last; ++cursor.place) {
    if (!read(cursor.place, now_ms, filter, ref, report)) continue;
    if (fits(filter, report)) body(ref, report);
  }
  return cursor.place < end;
}

bool TrackedConnections::walk(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
                              const Visit& visit) {
  return each(cursor, places, filter,
              [&](ConnectionRef /*ref*/, const ConnectionReport& report) { visit(report); });
}

bool TrackedConnections::flush(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
                               std::uint64_t& flushed) {
  return each(cursor, places, filter, [&](ConnectionRef ref, const ConnectionReport& /*report*/) {
    if (tracker_.remove(ref)) ++flushed;
  });
}

bool TrackedConnections::flush_one(std::uint16_t zone, const ConnectionTuple& tuple) {
  const auto found = tracker_.table().find(tuple_of(zone, tuple), config_.now_ms());
  return found.connection != nullptr && tracker_.remove(found.ref);
}

Result<void> TrackedConnections::set_max_connections(std::uint32_t most) {
  if (most > config_.capacity) {
    return failure(Errc::kInvalidArgument,
                   "at most " + std::to_string(config_.capacity) + " connections");
  }
  tracker_.set_connections_most(most);
  return {};
}

ZoneLimit TrackedConnections::zone_limit(std::uint16_t zone) const {
  const ZoneTable& zones = tracker_.zones();
  return {zone, zones.own_limit(zone).value_or(zones.default_limit()), zones.count(zone)};
}

std::vector<ZoneLimit> TrackedConnections::zone_limits() const {
  std::vector<ZoneLimit> out;
  for (std::uint32_t zone = 0; zone < kZones; ++zone) {
    const auto number = static_cast<std::uint16_t>(zone);
    if (tracker_.zones().own_limit(number)) out.push_back(zone_limit(number));
  }
  return out;
}

// A policy that stays keeps its number: connections go on with what they had.
Result<void> TrackedConnections::set_timeouts(const ConnectionTimeouts& others,
                                              std::span<const ZoneTimeouts> zones) {
  TimeoutPolicies& policies = tracker_.timeouts();
  std::set<ConnectionTimeouts> wanted;
  for (const ZoneTimeouts& zone : zones) wanted.insert(zone.timeouts_s);
  if (wanted.size() > kPolicies - 1) {
    return failure(Errc::kFull, "more than 255 timeout policies");
  }
  std::vector<std::uint8_t> free_numbers;
  std::map<ConnectionTimeouts, std::uint8_t> numbers;
  for (std::size_t n = kPolicies - 1; n > 0; --n) {
    const auto number = static_cast<std::uint8_t>(n);
    const ConnectionTimeouts now = seconds_of(policies, number);
    const bool stays = wanted.contains(now) && numbers.emplace(now, number).second;
    if (!stays) free_numbers.push_back(number);
  }
  for (const ConnectionTimeouts& timeouts : wanted) {
    if (numbers.contains(timeouts)) continue;
    policies.set(free_numbers.back(), timeouts);
    numbers.emplace(timeouts, free_numbers.back());
    free_numbers.pop_back();
  }
  policies.set(TimeoutPolicies::kDefault, others);
  std::map<std::uint16_t, std::uint8_t> of_zone;
  for (const ZoneTimeouts& zone : zones) of_zone[zone.zone] = numbers.at(zone.timeouts_s);
  for (std::uint32_t zone = 0; zone < kZones; ++zone) {
    const auto number = static_cast<std::uint16_t>(zone);
    const auto found = of_zone.find(number);
    policies.assign(number, found == of_zone.end() ? TimeoutPolicies::kDefault : found->second);
  }
  return {};
}

ConnectionTimeouts TrackedConnections::timeouts(std::uint16_t zone) const {
  return seconds_of(tracker_.timeouts(), tracker_.timeouts().of(zone));
}

}  // namespace hoist::software
