// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "support/pipeline/scenario.hpp"
#include "support/pipeline/spell.hpp"

namespace hoist::test {
namespace {

void spell_step(const Changes& changes, std::string& out) {
  for (const RuleChange& change : changes) {
    out += change.kind == RuleChange::Kind::kAdd ? "  add " : "  del ";
    out += describe(*change.rule) + "\n";
  }
}
void spell_step(const Burst& burst, std::string& out) {
  for (const Arrival& arrival : burst) {
    out += "  packet on " + std::to_string(to_integer(arrival.in_port)) + " flow " +
           std::to_string(arrival.flow) + ": " + hex(arrival.frame) + "\n";
  }
}

void spell_step(const PortChange& change, std::string& out) {
  out += "  port " + std::to_string(to_integer(change.port)) + " has flags " +
         std::to_string(change.flags) + "\n";
}
void spell_step(const PacketOut& packet, std::string& out) {
  Instructions instructions;
  instructions.apply_actions = packet.actions;
  out += "  packet-out as from " + std::to_string(to_integer(packet.in_port)) +
         " actions=" + spell(instructions) + ": " + hex(packet.frame) + "\n";
}

void spell_step(const Pause& pause, std::string& out) {
  out += "  " + std::to_string(pause.ns) + " ns pass\n";
}

std::string describe(const MeterConfig& config) {
  std::string out = " meter=" + std::to_string(to_integer(config.id));
  out += (config.flags & MeterConfig::kPktps) != 0 ? " pktps" : " kbps";
  out += " layer-accounting=" + std::to_string(static_cast<int>(config.accounting));
  for (const MeterBand& band : config.bands) {
    out += " band=type=" + std::to_string(to_integer(band.type)) +
           ",rate=" + std::to_string(band.rate) + ",burst_size=" + std::to_string(band.burst_size) +
           ",prec_level=" + std::to_string(band.prec_level);
  }
  return out + "\n";
}

}  // namespace

std::string hex(const Bytes& frame) {
  std::string out;
  for (const std::uint8_t byte : frame) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    out += two;
  }
  return out.empty() ? "(empty)" : out;
}

std::string describe(const RuleSpec& rule) {
  return "#" + std::to_string(to_integer(rule.id)) + " table=" + std::to_string(rule.table_id) +
         ",priority=" + std::to_string(rule.priority) + spell(rule.match) +
         " actions=" + spell(*rule.instructions);
}

std::string describe(const Scenario& scenario) {
  std::string out = "scenario of seed " + std::to_string(scenario.seed) + ":\n";
  for (const MeterConfig& meter : scenario.meters) out += describe(meter);
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    out += " step " + std::to_string(i) + ":\n";
    std::visit([&](const auto& step) { spell_step(step, out); }, scenario.steps[i]);
  }
  return out;
}

}  // namespace hoist::test
