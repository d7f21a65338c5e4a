// SPDX-License-Identifier: BSD-3-Clause
#include "classifier_rules.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

namespace hoist::bench {
namespace {

using Rng = std::mt19937_64;

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

std::uint32_t prefix(std::uint32_t length) { return length == 0 ? 0 : ~0u << (32 - length); }

std::uint32_t between(Rng& rng, std::uint32_t low, std::uint32_t high) {
  return std::uniform_int_distribution<std::uint32_t>(low, high)(rng);
}

/// Values and masks of what IPv4 rules match on, host order; a mask of 0 leaves the field out.
struct Ipv4Match {
  std::uint32_t src = 0, src_mask = 0;
  std::uint32_t dst = 0, dst_mask = 0;
  std::uint16_t tp_src = 0, tp_src_mask = 0;
  std::uint16_t tp_dst = 0, tp_dst_mask = 0;
  std::optional<std::uint8_t> proto;

  [[nodiscard]] MiniMatch match() const {
    Match m;
    m.mask.eth_type = Be16(0xffff);
    m.value.eth_type = Be16(0x0800);
    m.mask.nw_src = Be32(src_mask);
    m.value.nw_src = Be32(src & src_mask);
    m.mask.nw_dst = Be32(dst_mask);
    m.value.nw_dst = Be32(dst & dst_mask);
    m.mask.tp_src = Be16(tp_src_mask);
    m.value.tp_src = Be16(tp_src & tp_src_mask);
    m.mask.tp_dst = Be16(tp_dst_mask);
    m.value.tp_dst = Be16(tp_dst & tp_dst_mask);
    m.mask.ip_proto = proto ? 0xff : 0;
    m.value.ip_proto = proto.value_or(0);
    return MiniMatch(m);
  }
  /// A packet inside; what the rule leaves open is random.
  [[nodiscard]] FlowKey key(Rng& rng) const {
    const auto fill = [&rng](auto value, auto mask) {
      using T = decltype(value);
      return static_cast<T>((value & mask) | (static_cast<T>(rng()) & static_cast<T>(~mask)));
    };
    FlowKey k{};
    k.in_port = Be32(1);
    k.eth_dst = {2, 0, 0, 0, 0, 2};
    k.eth_src = {2, 0, 0, 0, 0, 1};
    k.eth_type = Be16(0x0800);
    k.ip_ttl = 64;
    k.ip_proto = proto.value_or((rng() & 1) != 0 ? kTcp : kUdp);
    k.nw_src = Be32(fill(src, src_mask));
    k.nw_dst = Be32(fill(dst, dst_mask));
    if (k.ip_proto == kTcp || k.ip_proto == kUdp) {
      k.tp_src = Be16(fill(tp_src, tp_src_mask));
      k.tp_dst = Be16(fill(tp_dst, tp_dst_mask));
    }
    if (k.ip_proto == kTcp) k.tcp_flags = Be16(0x10);
    return k;
  }
};

struct PortMask {
  std::uint16_t value;
  std::uint16_t mask;
};

/// The least set of masks that covers ports low to high.
std::vector<PortMask> range_to_masks(std::uint32_t low, std::uint32_t high) {
  std::vector<PortMask> masks;
  while (low <= high) {
    std::uint32_t size = low == 0 ? 65536 : low & -low;
    while (low + size - 1 > high) size /= 2;
    masks.push_back({static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(0x10000 - size)});
    low += size;
  }
  return masks;
}

struct Line {
  Ipv4Match match;                       ///< Without ports.
  std::array<std::uint32_t, 4> ports{};  ///< Source low and high, destination low and high.
};

std::optional<Line> parse_line(const std::string& text) {
  std::array<unsigned, 4> s{};
  std::array<unsigned, 4> d{};
  unsigned s_len = 0, d_len = 0, proto = 0, proto_mask = 0;
  Line line;
  const int n =
      std::sscanf(text.c_str(), "@%u.%u.%u.%u/%u %u.%u.%u.%u/%u %u : %u %u : %u 0x%x/0x%x", &s[0],
                  &s[1], &s[2], &s[3], &s_len, &d[0], &d[1], &d[2], &d[3], &d_len, &line.ports[0],
                  &line.ports[1], &line.ports[2], &line.ports[3], &proto, &proto_mask);
  if (n != 16) return std::nullopt;
  line.match.src = s[0] << 24 | s[1] << 16 | s[2] << 8 | s[3];
  line.match.dst = d[0] << 24 | d[1] << 16 | d[2] << 8 | d[3];
  line.match.src_mask = prefix(s_len);
  line.match.dst_mask = prefix(d_len);
  if (proto_mask != 0) line.match.proto = static_cast<std::uint8_t>(proto);
  return line;
}

void add_rules(const Line& line, std::uint16_t priority, std::vector<RuleLine>& out) {
  Ipv4Match m = line.match;
  for (const PortMask& src : range_to_masks(line.ports[0], line.ports[1])) {
    for (const PortMask& dst : range_to_masks(line.ports[2], line.ports[3])) {
      m.tp_src = src.value;
      m.tp_src_mask = src.mask;
      m.tp_dst = dst.value;
      m.tp_dst_mask = dst.mask;
      out.push_back({m.match(), priority});
    }
  }
}

FlowKey key_of(const Line& line, Rng& rng) {
  Ipv4Match m = line.match;
  m.tp_src_mask = m.tp_dst_mask = 0xffff;
  m.tp_src = static_cast<std::uint16_t>(between(rng, line.ports[0], line.ports[1]));
  m.tp_dst = static_cast<std::uint16_t>(between(rng, line.ports[2], line.ports[3]));
  return m.key(rng);
}

/// Keys drawn evenly over some matches.
std::function<FlowKey(Rng&)> keys_of(std::vector<Ipv4Match> matches) {
  return [shared = std::make_shared<std::vector<Ipv4Match>>(std::move(matches))](Rng& rng) {
    return (*shared)[rng() % shared->size()].key(rng);
  };
}

RuleSet set_of(std::vector<Ipv4Match> matches, std::uint16_t priority) {
  RuleSet set;
  for (const Ipv4Match& m : matches) set.rules.push_back({m.match(), priority});
  set.key = keys_of(std::move(matches));
  return set;
}

}  // namespace

RuleSet classbench(const std::string& path) {
  std::ifstream file(path);
  auto lines = std::make_shared<std::vector<Line>>();
  for (std::string text; std::getline(file, text);) {
    const auto line = parse_line(text);
    if (!line) return {};
    lines->push_back(*line);
  }
  if (lines->empty()) return {};
  RuleSet set;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    add_rules((*lines)[i], static_cast<std::uint16_t>(lines->size() - i), set.rules);
  }
  set.rules.push_back({MiniMatch(), 0});
  set.key = [lines](Rng& rng) { return key_of((*lines)[rng() % lines->size()], rng); };
  return set;
}

RuleSet classbench_strangers(const std::string& path) {
  RuleSet set = classbench(path);
  set.key = [](Rng& rng) { return Ipv4Match{}.key(rng); };
  return set;
}

RuleSet seventeen_rules() {
  constexpr std::uint32_t kSrc = 0x11121300;
  constexpr std::uint32_t kDst = 0x22232400;
  struct Row {
    bool is_udp;
    std::uint32_t src, dst;  ///< Last byte; 0: any.
    std::uint16_t tp_src, tp_dst;
  };
  constexpr Row kRows[] = {{true, 20, 37, 0, 0}, {true, 20, 38, 0, 4369}, {true, 19, 0, 4369, 0},
                           {true, 18, 0, 0, 0},  {true, 17, 0, 0, 4369},  {false, 16, 0, 0, 0},
                           {false, 15, 0, 0, 0}, {false, 14, 0, 0, 0},    {true, 13, 0, 4369, 0},
                           {true, 10, 0, 0, 0},  {false, 9, 0, 0, 0},     {false, 8, 37, 0, 0},
                           {false, 8, 38, 0, 0}, {true, 7, 0, 0, 0},      {true, 6, 0, 0, 0},
                           {true, 0, 37, 0, 0},  {false, 0, 38, 0, 0}};
  std::vector<Ipv4Match> matches;
  for (const Row& r : kRows) {
    Ipv4Match m;
    if (r.is_udp) m.proto = kUdp;
    if (r.src != 0) m.src = kSrc + r.src, m.src_mask = ~0u;
    if (r.dst != 0) m.dst = kDst + r.dst, m.dst_mask = ~0u;
    if (r.tp_src != 0) m.tp_src = r.tp_src, m.tp_src_mask = 0xffff;
    if (r.tp_dst != 0) m.tp_dst = r.tp_dst, m.tp_dst_mask = 0xffff;
    matches.push_back(m);
  }
  return set_of(std::move(matches), 0x8000);
}

RuleSet one_mask(std::uint32_t count) {
  std::vector<Ipv4Match> matches(count);
  for (std::uint32_t i = 0; i < count; ++i)
    matches[i].dst = 0x14000000 + i, matches[i].dst_mask = ~0u;
  return set_of(std::move(matches), 0x8000);
}

RuleSet prefixes(std::uint32_t count, std::uint32_t masks) {
  Rng rng(7);
  std::vector<Ipv4Match> matches(count);
  for (Ipv4Match& m : matches) {
    const std::uint32_t mask = between(rng, 0, masks - 1);
    m.src = between(rng, 0, ~0u);
    m.dst = between(rng, 0, ~0u);
    m.src_mask = prefix(32 - mask % 32);
    m.dst_mask = prefix(32 - mask / 32);
  }
  RuleSet set = set_of(std::move(matches), 0);
  for (RuleLine& r : set.rules) r.priority = static_cast<std::uint16_t>(between(rng, 1, 1000));
  return set;
}

RuleSet many_masks(std::uint32_t count) {
  const auto eth = [](std::uint64_t v) {
    MacAddress mac{};
    for (std::size_t i = 0; i < 6; ++i) mac[i] = static_cast<std::uint8_t>(v >> (8 * (5 - i)));
    return mac;
  };
  RuleSet set;
  for (std::uint32_t i = 1; i <= count; ++i) {
    Match m;
    m.mask.eth_dst = eth(0xffffffff0000u | i);
    m.value.eth_dst = eth(std::uint64_t{i} << 24);
    set.rules.push_back({MiniMatch(m), 0x8000});
  }
  set.key = [count, eth](Rng& rng) {
    Ipv4Match any;
    FlowKey k = any.key(rng);
    k.eth_dst = eth(std::uint64_t{between(rng, 1, count)} << 24);
    return k;
  };
  return set;
}

}  // namespace hoist::bench
