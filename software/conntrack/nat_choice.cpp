// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/nat_choice.hpp"

#include <algorithm>

#include "packet/wire.hpp"

namespace hoist::software {
namespace {

constexpr unsigned kAttempts = 128;  ///< Ports in the first round; half as many in each further.
constexpr unsigned kAttemptsLeast = 16;

std::uint64_t load64be(const std::uint8_t* at) noexcept {
  return std::uint64_t{wire::load32(at)} << 32 | wire::load32(at + 4);
}
void store64be(std::uint8_t* at, std::uint64_t v) noexcept {
  wire::store32(at, static_cast<std::uint32_t>(v >> 32));
  wire::store32(at + 4, static_cast<std::uint32_t>(v));
}

using Address = std::array<std::uint8_t, 16>;

/// How many addresses lie behind `first`, at most 2^32 - 2.
std::uint32_t distance(const Address& first, const Address& last, bool is_ipv4) noexcept {
  if (is_ipv4) return wire::load32(last.data()) - wire::load32(first.data());
  constexpr std::uint32_t kMost = 0xfffffffe;
  const std::uint64_t low = load64be(&last[8]) - load64be(&first[8]);
  const std::uint64_t borrow = load64be(&last[8]) < load64be(&first[8]) ? 1 : 0;
  const std::uint64_t high = load64be(last.data()) - load64be(first.data()) - borrow;
  return high != 0 || low > kMost ? kMost : static_cast<std::uint32_t>(low);
}

Address advanced(const Address& first, std::uint32_t by, bool is_ipv4) noexcept {
  Address out = first;
  if (is_ipv4) {
    wire::store32(out.data(), wire::load32(first.data()) + by);
    return out;
  }
  const std::uint64_t low = load64be(&first[8]) + by;
  store64be(&out[8], low);
  if (low < by) store64be(out.data(), load64be(first.data()) + 1);
  return out;
}

std::uint32_t hash_range(const Tuple& forward, const NatRange& range, std::uint64_t seed,
                         bool source_only) noexcept {
  Tuple t = forward;
  if (source_only) {
    t.dst = {};
    t.src_port = t.dst_port = Be16{0};
  }
  const std::uint64_t mixed = seed ^ load64be(range.first.data()) ^ load64be(&range.last[0]) * 31 ^
                              std::uint64_t{range.first_port} << 16 ^ range.last_port;
  return hash_of(words_of(t), mixed);
}

}  // namespace

NatChoice::NatChoice(const Tuple& forward, const NatRange& range, const Seeds& seeds) noexcept
    : reply_(reversed(forward)),
      has_ports_(software::has_ports(forward.ip_proto)),
      random_(seeds.random) {
  const bool is_persistent = (range.flags & NatRange::kPersistent) != 0;
  const std::uint32_t hash =
      hash_range(forward, range, is_persistent ? 0 : seeds.hash, is_persistent);
  const bool is_random = (range.flags & NatRange::kRandom) != 0;
  const std::uint32_t offset = is_random       ? seeds.random
                               : is_persistent ? hash_range(forward, range, seeds.hash, false)
                                               : hash;
  choose_address(forward, range, hash);
  source_ = source_ports(forward, range, offset);
  moves_destination_ports_ = range.kind == NatKind::kDestination && range.first_port != 0;
  if (moves_destination_ports_) {
    const auto span = static_cast<std::uint32_t>(range.last_port - range.first_port + 1);
    destination_ = {range.first_port, range.last_port,
                    static_cast<std::uint16_t>(range.first_port + offset % span)};
  }
}

void NatChoice::choose_address(const Tuple& forward, const NatRange& range,
                               std::uint32_t hash) noexcept {
  if (range.first == Address{}) return;
  const bool is_ipv4 = forward.family == 4;
  const std::uint64_t count = std::uint64_t{distance(range.first, range.last, is_ipv4)} + 1;
  const auto by = static_cast<std::uint32_t>(hash % count);
  Address& place = range.kind == NatKind::kSource ? reply_.dst : reply_.src;
  place = advanced(range.first, by, is_ipv4);
}

NatChoice::Ports NatChoice::source_ports(const Tuple& forward, const NatRange& range,
                                         std::uint32_t offset) noexcept {
  if (range.kind == NatKind::kSource && range.first_port != 0) {
    const auto span = static_cast<std::uint32_t>(range.last_port - range.first_port + 1);
    return {range.first_port, range.last_port,
            static_cast<std::uint16_t>(range.first_port + offset % span)};
  }
  // Privileged ports stay privileged (RFC 4787, 4.2.2).
  const std::uint16_t port = forward.src_port.host();
  if (port < 512) return {1, 511, port};
  if (port < 1024) return {600, 1023, port};
  return {1024, 65535, port};
}

void NatChoice::start_round(const Ports& ports) noexcept {
  ports_ = ports;
  at_ = ports.start;
  tried_ = 0;
  attempts_ = std::min<unsigned>(kAttempts, ports.last - ports.first + 1u);
}

bool NatChoice::next_round() noexcept {
  const unsigned span = ports_.last - ports_.first + 1u;
  if (attempts_ >= span || attempts_ < kAttemptsLeast) return false;
  attempts_ /= 2;
  tried_ = 0;
  random_ = random_ * 1664525u + 1013904223u;
  at_ = static_cast<std::uint16_t>(ports_.first + (random_ >> 8) % span);
  return true;
}

void NatChoice::set_port(std::uint16_t port) noexcept {
  if (stage_ == Stage::kDestination || reply_.ip_proto == wire::kIpIcmp) {
    reply_.src_port = Be16{port};  // ICMP's identifier.
  } else {
    reply_.dst_port = Be16{port};
  }
}

bool NatChoice::next() noexcept {
  if (stage_ == Stage::kStart) {
    if (!has_ports_) {
      stage_ = Stage::kDone;
      return true;
    }
    stage_ = moves_destination_ports_ ? Stage::kDestination : Stage::kSource;
    start_round(moves_destination_ports_ ? destination_ : source_);
  } else if (stage_ == Stage::kDone) {
    return false;
  }
  while (tried_ == attempts_) {
    if (next_round()) break;
    if (stage_ == Stage::kSource) {
      stage_ = Stage::kDone;
      return false;
    }
    set_port(destination_.start);
    stage_ = Stage::kSource;
    start_round(source_);
  }
  ++tried_;
  set_port(at_);
  at_ = at_ == ports_.last ? ports_.first : static_cast<std::uint16_t>(at_ + 1);
  return true;
}

}  // namespace hoist::software
