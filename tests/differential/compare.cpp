// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <algorithm>
#include <cstring>

namespace hoist::test {
namespace {

std::string port_name(PortNo port) { return "port " + std::to_string(to_integer(port)); }

/// Lines for what only one of two multisets of texts has.
std::string difference(std::vector<std::string> wanted, std::vector<std::string> got,
                       const std::string& where) {
  std::ranges::sort(wanted);
  std::ranges::sort(got);
  std::vector<std::string> missing;
  std::vector<std::string> surplus;
  std::ranges::set_difference(wanted, got, std::back_inserter(missing));
  std::ranges::set_difference(got, wanted, std::back_inserter(surplus));
  std::string out;
  for (const std::string& text : missing) out += where + ": missing " + text + "\n";
  for (const std::string& text : surplus) out += where + ": surplus " + text + "\n";
  return out;
}

std::vector<std::string> texts(const std::map<PortNo, std::vector<Bytes>>& sent, PortNo port) {
  std::vector<std::string> out;
  const auto it = sent.find(port);
  if (it == sent.end()) return out;
  for (const Bytes& frame : it->second) out.push_back(hex(frame));
  return out;
}

std::string text(const PacketIn& p) {
  FlowKey state = p.key;
  std::memset(static_cast<void*>(&state), 0, kPacketWords * 8);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&state);
  std::string out =
      "packet-in reason=" + std::to_string(p.reason) + " table=" + std::to_string(p.table_id) +
      " rule=" + std::to_string(to_integer(p.rule)) +
      " controller=" + std::to_string(p.controller_id) + " max_len=" + std::to_string(p.max_len) +
      " in_port=" + std::to_string(p.key.in_port.host()) + " userdata=" + hex(p.userdata) +
      " frame=" + hex(p.frame) + " state=";
  return out + hex(Bytes(bytes + kPacketWords * 8, bytes + sizeof state));
}

/// The frames of one flow, as they should leave one port.
using FlowFrames = std::map<std::pair<std::uint32_t, PortNo>, std::vector<Bytes>>;

FlowFrames frames_by_flow(const ReferencePlane& reference, const Burst& burst) {
  FlowFrames frames;
  for (std::size_t i = 0; i < burst.size(); ++i) {
    for (const auto& sent : reference.fates()[i].sent) {
      frames[{burst[i].flow, sent.port}].push_back(sent.frame);
    }
  }
  return frames;
}

/// Frames that look alike are one frame here, so the order is compared among those that differ.
std::string order_difference(const ReferencePlane& reference, const BurstResult& got,
                             const Burst& burst) {
  for (const auto& [key, wanted] : frames_by_flow(reference, burst)) {
    const auto port = got.sent.find(key.second);
    if (port == got.sent.end()) continue;
    std::vector<Bytes> seen;
    for (const Bytes& frame : port->second) {
      if (std::ranges::find(wanted, frame) != wanted.end()) seen.push_back(frame);
    }
    const bool has_twins = seen.size() != wanted.size();  // another flow's frames look the same
    if (!has_twins && seen != wanted) {
      return port_name(key.second) + ": flow " + std::to_string(key.first) + " out of order\n";
    }
  }
  return "";
}

}  // namespace

std::string difference(const ReferencePlane& reference, const BurstResult& wanted,
                       const BurstResult& got, const Burst& burst, const Strictness& strictness) {
  std::string out;
  std::vector<PortNo> ports;
  for (const auto& [port, frames] : wanted.sent) ports.push_back(port);
  for (const auto& [port, frames] : got.sent) {
    if (!wanted.sent.contains(port)) ports.push_back(port);
  }
  for (const PortNo port : ports) {
    out += difference(texts(wanted.sent, port), texts(got.sent, port), port_name(port));
  }
  std::vector<std::string> wanted_ins;
  std::vector<std::string> got_ins;
  for (const PacketIn& p : wanted.packet_ins) wanted_ins.push_back(text(p));
  for (const PacketIn& p : got.packet_ins) got_ins.push_back(text(p));
  out += difference(std::move(wanted_ins), std::move(got_ins), "controller");
  if (out.empty()) out += order_difference(reference, got, burst);
  // A resubmit in hardware is a jump: what misses there is a miss to software, and no rule's drop.
  constexpr auto kRule = static_cast<std::size_t>(DropReason::kRule);
  constexpr auto kMiss = static_cast<std::size_t>(DropReason::kTableMiss);
  for (std::size_t i = 0; i < kDropReasonCount; ++i) {
    if (!strictness.has_drops && (i == kRule || i == kMiss)) {
      const auto sum = [&](const BurstResult& r) { return r.drops[kRule] + r.drops[kMiss]; };
      if (sum(got) <= sum(wanted)) continue;
    }
    const bool is_wrong =
        strictness.has_drops ? got.drops[i] != wanted.drops[i] : got.drops[i] > wanted.drops[i];
    if (!is_wrong) continue;
    out += "drops for " + std::string(kDropReasonNames[i]) + ": " + std::to_string(got.drops[i]) +
           ", should be " + std::to_string(wanted.drops[i]) + "\n";
  }
  return out;
}

std::string difference(const Counts& wanted, const Counts& got, const Strictness& strictness) {
  const auto rules = [&](const Counts& counts) {
    std::vector<std::string> out;
    for (const auto& [rule, count] : counts.rules) {
      out.push_back("rule #" + std::to_string(to_integer(rule)) +
                    " n_packets=" + std::to_string(count.packets) +
                    (strictness.has_rule_bytes ? " n_bytes=" + std::to_string(count.bytes) : ""));
    }
    return out;
  };
  const auto tables = [](const Counts& counts) {
    std::vector<std::string> out;
    for (const auto& [table_id, count] : counts.tables) {
      out.push_back("table " + std::to_string(table_id) + " lookups=" +
                    std::to_string(count.lookups) + " matches=" + std::to_string(count.matches));
    }
    return out;
  };
  const auto meters = [&](const Counts& counts) {
    const auto spell = [&](const TrafficCount& count) {
      return std::to_string(count.packets) + " packets" +
             (strictness.has_rule_bytes ? " " + std::to_string(count.bytes) + " bytes" : "");
    };
    std::vector<std::string> out;
    for (const auto& [id, stats] : counts.meters) {
      std::string text = "meter " + std::to_string(to_integer(id)) + " in " + spell(stats.in);
      for (const TrafficCount& band : stats.bands) text += ", band " + spell(band);
      out.push_back(std::move(text));
    }
    return out;
  };
  std::string out = difference(rules(wanted), rules(got), "counters");
  out += difference(meters(wanted), meters(got), "counters");
  if (strictness.has_tables) out += difference(tables(wanted), tables(got), "counters");
  return out;
}

}  // namespace hoist::test
