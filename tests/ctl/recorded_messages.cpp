// SPDX-License-Identifier: BSD-3-Clause
#include "recorded_messages.hpp"

#include <fstream>
#include <sstream>

#include "openflow/action_codec.hpp"
#include "openflow/match_codec.hpp"
#include "openflow/wire.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

Dialect dialect_named(const std::string& name) {
  if (name == "of13") return Version::kOf13;
  if (name == "of14") return Version::kOf14;
  return {Version::kOf10, name == "of10t"};
}

Bytes from_hex(const std::string& hex) {
  Bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

bool demands_vlan(const Match& match) { return (match.value.vlan_tci.host() & kVlanPresent) != 0; }

void put_nicira_body(Bytes& out, const FlowMod& mod) {
  put64(out, mod.new_cookie.value_or(mod.cookie));
  put16(out, static_cast<std::uint16_t>(mod.table_id << 8 | to_integer(mod.command)));
  put16(out, mod.idle_timeout);
  put16(out, mod.hard_timeout);
  put16(out, mod.priority);
  put32(out, mod.buffer_id);
  put16(out, port_to_16(mod.out_port));
  put16(out, mod.flags & 3);
  const std::size_t length_at = out.size();
  put_zeros(out, 8);
  const std::size_t match_at = out.size();
  put_entries(out, MiniMatch(mod.match), Flavor::kNxm);
  set16(out, length_at, out.size() - match_at);
  pad_to_8(out, match_at);
}

void put_body(Bytes& out, const FlowMod& mod, Version version) {
  put64(out, mod.cookie);
  put64(out, mod.cookie_mask);
  put8(out, mod.table_id);
  put8(out, to_integer(mod.command));
  put16(out, mod.idle_timeout);
  put16(out, mod.hard_timeout);
  put16(out, mod.priority);
  put32(out, mod.buffer_id);
  put32(out, to_integer(mod.out_port));
  put32(out, mod.out_group);
  put16(out, mod.flags);
  put16(out, mod.importance);
  put_oxm_match(out, MiniMatch(mod.match), flavor_of(version));
}

}  // namespace

std::vector<Recorded> recorded_messages(const std::string& file) {
  std::vector<Recorded> out;
  std::ifstream in(std::string(HOIST_CTL_DATA) + "/" + file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string dialect, hex, text;
    words >> dialect >> hex;
    std::getline(words >> std::ws, text);
    out.push_back({dialect_named(dialect), from_hex(hex), text});
  }
  return out;
}

tl::expected<Request, WireError> decode_exactly(std::span<const std::uint8_t> message,
                                                Dialect dialect) {
  return decode(ExactCopy(message).span(), dialect);
}

Bytes flow_mod_message(const FlowMod& mod, Version version) {
  Bytes out;
  const bool is_10 = version == Version::kOf10;
  const std::size_t start =
      is_10 ? begin_nicira(out, {version, 1}, 13) : begin_message(out, {version, 1}, 14);
  if (is_10) {
    put_nicira_body(out, mod);
  } else {
    put_body(out, mod, version);
  }
  put_instructions(out, mod.instructions, version, demands_vlan(mod.match));
  end_message(out, start);
  return out;
}

}  // namespace hoist::test
