// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hoist/match.hpp"

namespace hoist::bench {

struct RuleLine {
  MiniMatch match;
  std::uint16_t priority;
};

/// Rules, and a source of keys that fit them.
struct RuleSet {
  std::vector<RuleLine> rules;
  std::function<FlowKey(std::mt19937_64&)> key;
};

/// A ClassBench file as OpenFlow rules: a rule for each pair of port masks of a line, the first
/// line highest, and below all one that matches everything. Keys are drawn evenly over the lines,
/// inside the line. Empty if the file cannot be read.
[[nodiscard]] RuleSet classbench(const std::string& path);

/// The same rules, with keys of random addresses, ports and protocols: what scans and attacks look
/// like.
[[nodiscard]] RuleSet classbench_strangers(const std::string& path);

/// 17 IPv4 rules of equal priority on addresses, protocol and UDP ports, with keys for each.
[[nodiscard]] RuleSet seventeen_rules();

/// `count` rules on eth_dst of equal priority, each with a mask of its own.
[[nodiscard]] RuleSet many_masks(std::uint32_t count);

/// `count` rules ip,ip_dst=x.
[[nodiscard]] RuleSet one_mask(std::uint32_t count);

/// `count` rules on addresses, with some of `masks` masks (at most 32 * 32) and 1,000 priorities.
[[nodiscard]] RuleSet prefixes(std::uint32_t count, std::uint32_t masks);

}  // namespace hoist::bench
