// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "classifier/classifier.hpp"

namespace hoist::software::testing {

/// Rules by hand: a Match with chained setters for the fields that tests need.
class Rule {
 public:
  Rule& in_port(std::uint32_t v) { return set(&FlowKey::in_port, Be32(v), Be32(~0u)); }
  Rule& eth_type(std::uint16_t v) { return set(&FlowKey::eth_type, Be16(v), Be16(0xffff)); }
  Rule& proto(std::uint8_t v) { return set(&FlowKey::ip_proto, v, std::uint8_t{0xff}); }
  Rule& nw_dst(std::uint32_t v, std::uint32_t mask = ~0u) {
    return set(&FlowKey::nw_dst, Be32(v & mask), Be32(mask));
  }
  Rule& nw_src(std::uint32_t v, std::uint32_t mask = ~0u) {
    return set(&FlowKey::nw_src, Be32(v & mask), Be32(mask));
  }
  Rule& tp_dst(std::uint16_t v) { return set(&FlowKey::tp_dst, Be16(v), Be16(0xffff)); }
  [[nodiscard]] MiniMatch match() const { return MiniMatch(match_); }

 private:
  template <class T>
  Rule& set(T FlowKey::*member, T value, T mask) {
    match_.value.*member = value;
    match_.mask.*member = mask;
    return *this;
  }
  Match match_;
};

inline Rule ip() { return Rule().eth_type(0x0800); }

/// A key that the rule matches, zero elsewhere.
inline FlowKey key_of(const Rule& rule) { return rule.match().expand().value; }

/// Random matches over a few words, with few enough values that rules and keys meet.
class RandomMatches {
 public:
  explicit RandomMatches(std::uint64_t seed) : rng_(seed) {}

  std::mt19937_64& rng() { return rng_; }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng_);
  }

  FlowKey key() {
    FlowKey k{};
    for (const std::size_t w : kWords) words(k)[w] = rng_() & kBits;
    return k;
  }
  MiniMatch match() {
    Match m;
    for (const std::size_t w : kWords) {
      if (below(3) == 0) words(m.mask)[w] = below(2) == 0 ? kBits : kBits & rng_() & rng_();
      words(m.value)[w] = rng_() & words(m.mask)[w];
    }
    return MiniMatch(m);
  }

 private:
  static constexpr std::size_t kWords[] = {0, 1, 4, 5, 9, 20, 33};
  static constexpr std::uint64_t kBits = 0x0300000000010101;
  std::mt19937_64 rng_;
};

}  // namespace hoist::software::testing
