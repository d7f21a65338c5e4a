// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/config.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

#include "daemon/toml_reader.hpp"

namespace hoist::ctl {
namespace {

constexpr std::int64_t kPortNumberMax = 0xfeff;  // What OpenFlow 1.0 can name, too.

struct Source {
  std::string file;
  std::string error;  ///< The first thing wrong; empty: nothing.
};

void read_targets(TomlReader& reader, std::string_view key, bool want_listener,
                  std::vector<openflow::Target>& out) {
  reader.each(key, [&](const toml::node& node) {
    const auto text = node.value_exact<std::string>();
    if (!text) return reader.fail(key, node, "want strings");
    Result<openflow::Target> target = openflow::Target::parse(*text);
    if (!target) return reader.fail(key, node, target.error().message);
    if (target->is_listener() != want_listener) {
      return reader.fail(key, node, want_listener ? "want ptcp: or punix:" : "want tcp: or unix:");
    }
    out.push_back(*std::move(target));
  });
}

void read_port_number(TomlReader& reader, PortNo& out) {
  const toml::node* node = reader.use("number");
  if (node == nullptr) return;
  if (node->value_exact<std::string>() == "LOCAL") {
    out = PortNo::kLocal;
    return;
  }
  const auto number = node->value_exact<std::int64_t>();
  if (!number || *number < 1 || *number > kPortNumberMax) {
    return reader.fail("number", *node, "want 1 to 65279 or \"LOCAL\"");
  }
  out = PortNo{static_cast<std::uint32_t>(*number)};
}

/// "QUEUE:CORE,QUEUE:CORE,...", as in Open vSwitch's pmd-rxq-affinity.
std::optional<std::vector<QueuePin>> parse_affinity(std::string_view text) {
  std::vector<QueuePin> pins;
  const auto take = [&text](auto& out) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    return parsed.ec == std::errc{};
  };
  const auto take_char = [&text](char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  do {
    QueuePin pin{};
    if (!take(pin.queue) || !take_char(':') || !take(pin.core)) return std::nullopt;
    pins.push_back(pin);
  } while (take_char(','));
  if (!text.empty()) return std::nullopt;
  return pins;
}

void read_affinity(TomlReader& reader, std::vector<QueuePin>& out) {
  const toml::node* node = reader.use("rxq_affinity");
  if (node == nullptr) return;
  const auto text = node->value_exact<std::string>();
  const auto pins = text ? parse_affinity(*text) : std::nullopt;
  if (!pins) return reader.fail("rxq_affinity", *node, "want \"QUEUE:CORE,...\"");
  out = *pins;
}

void read_port(const toml::node& node, Source& source, Config::Bridge& bridge) {
  TomlReader reader(*node.as_table(), source.file, "bridge.port", source.error);
  PortConfig port{.number = PortNo{0}};
  reader.require("name");
  reader.require("devargs");
  reader.read("name", port.name);
  reader.read("devargs", port.devargs);
  reader.read_integer("queues", port.queues, 1, 1024);
  read_port_number(reader, port.number);
  std::vector<QueuePin> pins;
  read_affinity(reader, pins);
  reader.finish();
  for (const PortConfig& other : bridge.ports) {
    if (other.name == port.name) reader.fail("name", node, "two ports are called " + port.name);
    if (other.number == port.number && to_integer(port.number) != 0) {
      reader.fail("number", node, port.name + " and " + other.name + " have the same number");
    }
  }
  bridge.ports.push_back(std::move(port));
  bridge.affinities.push_back({PortNo{0}, std::move(pins)});
}

/// Ports without a number get the least that is free, in the order of the file.
void number_ports(Config::Bridge& bridge) {
  std::uint32_t next = 1;
  for (PortConfig& port : bridge.ports) {
    if (to_integer(port.number) != 0) continue;
    while (std::ranges::find(bridge.ports, PortNo{next}, &PortConfig::number) !=
           bridge.ports.end()) {
      ++next;
    }
    port.number = PortNo{next};
  }
  for (std::size_t i = 0; i < bridge.ports.size(); ++i) {
    bridge.affinities[i].port = bridge.ports[i].number;
  }
}

void read_datapath_id(TomlReader& reader, std::optional<std::uint64_t>& out) {
  const toml::node* node = reader.use("datapath_id");
  if (node == nullptr) return;
  const auto text = node->value_exact<std::string>();
  std::uint64_t id = 0;
  if (text) {
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, id, 16);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
      out = id;
      return;
    }
  }
  reader.fail("datapath_id", *node, "want up to 16 hex digits in a string");
}

void read_bridge(const toml::node& node, Source& source, Config& config) {
  TomlReader reader(*node.as_table(), source.file, "bridge", source.error);
  Config::Bridge bridge;
  reader.require("name");
  reader.read("name", bridge.name);
  if (bridge.name.find('/') != std::string::npos) {
    reader.fail("name", node, "names a socket, so it may have no slash");
  }
  std::string fail_mode = "standalone";
  reader.read("fail_mode", fail_mode);
  if (fail_mode != "standalone" && fail_mode != "secure") {
    reader.fail("fail_mode", *reader.use("fail_mode"), "want \"standalone\" or \"secure\"");
  }
  if (fail_mode == "secure") bridge.fail_mode = Config::Bridge::FailMode::kSecure;
  read_datapath_id(reader, bridge.datapath_id);
  read_targets(reader, "listen", true, bridge.listen);
  read_targets(reader, "controllers", false, bridge.controllers);
  reader.each("port", [&](const toml::node& port) {
    if (!port.is_table()) return reader.fail("port", port, "want [[bridge.port]] tables");
    read_port(port, source, bridge);
  });
  number_ports(bridge);
  reader.finish();
  for (const Config::Bridge& other : config.bridges) {
    if (other.name == bridge.name)
      reader.fail("name", node, "two bridges are called " + other.name);
  }
  config.bridges.push_back(std::move(bridge));
}

/// Reads table `key` of the file with `read`, if it is there.
template <class Read>
void read_section(TomlReader& root, Source& source, std::string_view key, Read read) {
  const toml::node* node = root.use(key);
  if (node == nullptr) return;
  if (!node->is_table()) return root.fail(key, *node, "want a table");
  TomlReader reader(*node->as_table(), source.file, std::string(key), source.error);
  read(reader);
  reader.finish();
}

void read_datapath(TomlReader& reader, Config& config) {
  constexpr std::int64_t kCoresMax = 1024;
  reader.each("workers", [&](const toml::node& node) {
    const auto core = node.value_exact<std::int64_t>();
    if (!core || *core < 0 || *core >= kCoresMax) {
      return reader.fail("workers", node, "want core numbers");
    }
    const auto number = static_cast<unsigned>(*core);
    if (std::ranges::find(config.workers, number) != config.workers.end()) {
      return reader.fail("workers", node, "a core is named twice");
    }
    config.workers.push_back(number);
  });
  reader.read_integer("flow_cache_entries", config.flow_cache_entries, 0, 1 << 28);
  reader.read_integer("mbuf_count", config.mbuf_count, 1024, 1 << 26);
  reader.read_integer("max_rules", config.max_rules, 1, (1 << 24) - 1);
  AutoBalance& balance = config.auto_balance;
  reader.read("auto_balance", balance.is_enabled);
  reader.read_integer("auto_balance_load", balance.load_percent, 0, 100);
  reader.read_integer("auto_balance_improvement", balance.improvement_percent, 0, 100);
  reader.read_integer("auto_balance_interval_s", balance.interval_s, 5, 20'000 * 60);
}

void read_root(const toml::table& table, Source& source, Config& config) {
  TomlReader root(table, source.file, "", source.error);
  read_section(root, source, "dpdk",
               [&](TomlReader& reader) { reader.read("args", config.dpdk_args); });
  read_section(root, source, "datapath", [&](TomlReader& r) { read_datapath(r, config); });
  read_section(root, source, "offload", [&](TomlReader& reader) {
    reader.read("enabled", config.is_offload_enabled);
    reader.read_integer("moves_per_second", config.moves_per_second, 0, 1 << 30);
    reader.read_integer("reads_per_second", config.reads_per_second, 1, 1 << 30);
  });
  read_section(root, source, "conntrack", [&](TomlReader& reader) {
    config.conntrack = ConnectionConfig::read(reader, source.file, source.error);
  });
  root.each("bridge", [&](const toml::node& node) {
    if (!node.is_table()) return root.fail("bridge", node, "want [[bridge]] tables");
    read_bridge(node, source, config);
  });
  root.finish();
}

}  // namespace

Result<Config> Config::parse(std::string_view toml, const std::string& file) {
  Source source{file, {}};
  Config config;
  try {
    const toml::table table = toml::parse(toml, file);
    read_root(table, source, config);
  } catch (const toml::parse_error& error) {
    std::string place = file;
    place.append(":").append(std::to_string(error.source().begin.line)).append(": ");
    source.error = place.append(error.description());
  }
  if (!source.error.empty()) return failure(Errc::kInvalidArgument, source.error);
  if (config.workers.empty()) config.workers.push_back(1);
  return config;
}

Result<Config> Config::load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(Errc::kIo, path + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse(text, path);
}

}  // namespace hoist::ctl
