// SPDX-License-Identifier: BSD-3-Clause
#include "open_vswitch_flow.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "hoist/field.hpp"
#include "support/captures.hpp"

namespace hoist::software {
namespace {

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + 1));
  return head;
}

std::uint64_t number(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 0);
}

struct Protocol {
  std::string_view name;
  std::uint16_t eth_type;
  std::uint8_t ip_proto;
};
constexpr Protocol kProtocols[] = {
    {"ip", 0x0800, 0},   {"tcp", 0x0800, 6},     {"udp", 0x0800, 17}, {"sctp", 0x0800, 132},
    {"icmp", 0x0800, 1}, {"ipv6", 0x86dd, 0},    {"tcp6", 0x86dd, 6}, {"udp6", 0x86dd, 17},
    {"arp", 0x0806, 0},  {"sctp6", 0x86dd, 132}, {"rarp", 0x8035, 0}, {"icmp6", 0x86dd, 58},
    {"mpls", 0x8847, 0}, {"mplsm", 0x8848, 0}};

// "syn|ack", "0", or "+"-less unknown bits as "[0x800]".
std::uint16_t tcp_flags(std::string_view text) {
  constexpr std::string_view kNames[] = {"fin", "syn", "rst", "psh", "ack",
                                         "urg", "ece", "cwr", "ns"};
  std::uint16_t flags = 0;
  while (!text.empty()) {
    std::string_view name = take_until(text, '|');
    for (unsigned bit = 0; bit < 9; ++bit) {
      if (name == kNames[bit]) flags = static_cast<std::uint16_t>(flags | 1u << bit);
    }
    if (name.starts_with('[')) {
      name.remove_prefix(1);
      flags =
          static_cast<std::uint16_t>(flags | std::strtoul(std::string(name).c_str(), nullptr, 16));
    }
  }
  return flags;
}

FieldValue address(const Field& field, std::string_view text) {
  FieldValue out{};
  const auto put = [&](const auto& bytes) {
    std::copy(bytes.begin(), bytes.end(), out.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  };
  if (field.display == Display::kMac) put(test::mac(text));
  if (field.display == Display::kIpv6) put(test::ip6(text));
  if (field.display == Display::kIpv4) return field_value(test::ip4(text).host());
  return out;
}

void set(FlowKey& key, FieldId id, std::uint64_t value) {
  hoist::set_field(key, field(id), field_value(value), full_mask(field(id)));
}

/// The items that are spelt unlike any one field. Returns whether `name` was one.
bool read_special(FlowKey& key, std::string_view name, std::string_view value) {
  const auto tci = [&](Be16& member, std::uint64_t bits) {
    member = Be16{static_cast<std::uint16_t>(member.host() | kVlanPresent | bits)};
  };
  if (name == "dl_vlan") {
    tci(key.vlan_tci, number(value));
  } else if (name == "dl_vlan1") {
    tci(key.inner_vlan_tci, number(value));
  } else if (name == "dl_vlan_pcp") {
    tci(key.vlan_tci, number(value) << 13);
  } else if (name == "dl_vlan_pcp1") {
    tci(key.inner_vlan_tci, number(value) << 13);
  } else if (name == "nw_frag") {
    key.ip_frag = value == "first" ? kFragAny : value == "later" ? kFragAny | kFragLater : 0;
  } else if (name == "nw_tos") {
    set(key, FieldId::kIpDscp, number(value) >> 2);
  } else if (name == "tcp_flags") {
    key.tcp_flags = Be16{tcp_flags(value)};
  } else if (name == "tp_src" || name == "icmp_type") {
    key.tp_src = Be16{static_cast<std::uint16_t>(number(value))};
  } else if (name == "tp_dst" || name == "icmp_code") {
    key.tp_dst = Be16{static_cast<std::uint16_t>(number(value))};
  } else {
    return name == "in_port" || name == "vlan_tci" || name == "vlan_tci1" ||
           name.starts_with("mpls_lse") || name.starts_with("nsh_") || name == "nd_reserved" ||
           name == "nd_options_type" || name == "igmp_group";
  }
  return true;
}

}  // namespace

std::optional<FlowKey> read_flow(std::string_view line) {
  FlowKey key{};
  while (!line.empty()) {
    std::string_view item = take_until(line, ',');
    const std::string_view name = take_until(item, '=');
    for (const Protocol& protocol : kProtocols) {
      if (name != protocol.name) continue;
      key.eth_type = Be16{protocol.eth_type};
      key.ip_proto = protocol.ip_proto;
    }
    if (item.empty() || read_special(key, name, item)) continue;
    const Field* f = find_field(name);
    if (f == nullptr) return std::nullopt;
    const bool is_number = f->display == Display::kDecimal || f->display == Display::kHex;
    hoist::set_field(key, *f, is_number ? field_value(number(item)) : address(*f, item),
                     full_mask(*f));
  }
  return key;
}

std::vector<std::string> extract_with_open_vswitch(const std::vector<test::Bytes>& frames) {
  std::vector<std::string> lines;
  std::string file = std::filesystem::temp_directory_path() / "hoist-frames-XXXXXX";
  const int fd = mkstemp(file.data());
  if (fd < 0) return lines;
  close(fd);
  if (test::write_capture(file, frames)) {
    const std::string command = "ovs-ofctl parse-pcap " + file + " 2>/dev/null";
    struct Close {
      void operator()(std::FILE* f) const { pclose(f); }
    };
    const std::unique_ptr<std::FILE, Close> out(popen(command.c_str(), "r"));
    std::array<char, 4096> buffer;
    while (out && std::fgets(buffer.data(), buffer.size(), out.get()) != nullptr) {
      lines.emplace_back(buffer.data());
      lines.back().pop_back();
    }
  }
  std::filesystem::remove(file);
  return lines;
}

}  // namespace hoist::software
