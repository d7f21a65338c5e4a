// SPDX-License-Identifier: BSD-3-Clause
// Connections as ovs-appctl dpctl/dump-conntrack prints them.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "text/connection_text.hpp"

namespace hoist::text {
std::string protocol_text(std::uint8_t ip_proto) {
  switch (ip_proto) {
    case 1:
      return "icmp";
    case 2:
      return "igmp";
    case 6:
      return "tcp";
    case 17:
      return "udp";
    case 33:
      return "dccp";
    case 58:
      return "icmpv6";
    case 132:
      return "sctp";
    case 136:
      return "udplite";
    default:
      return std::to_string(ip_proto);
  }
}

std::string address_text(const Ipv6Address& address, std::uint8_t family) {
  std::array<char, INET6_ADDRSTRLEN> text;
  return ::inet_ntop(family == 4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
}

std::string label_text(const std::array<std::uint8_t, 16>& label) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::uint8_t byte : label) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "" : "0x" + digits.substr(first);
}

namespace {

void append_number(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(name).append(std::to_string(value));
}

void append_tuple(std::string& out, const ConnectionTuple& tuple) {
  out.append("(src=").append(address_text(tuple.src, tuple.family));
  out.append(",dst=").append(address_text(tuple.dst, tuple.family));
  if (tuple.is_icmp()) {
    append_number(out, ",id=", tuple.src_port);
    append_number(out, ",type=", tuple.dst_port >> 8);
    append_number(out, ",code=", tuple.dst_port & 0xff);
  } else {
    append_number(out, ",sport=", tuple.src_port);
    append_number(out, ",dport=", tuple.dst_port);
  }
  out += ')';
}

void append_label(std::string& out, const std::array<std::uint8_t, 16>& label) {
  const std::string text = label_text(label);
  if (!text.empty()) out.append(",labels=").append(text);
}

void append_end_flags(std::string& out, const TcpEndReport& end) {
  if (end.has_window_scale) out += "WINDOW_SCALE";
  if (end.has_window_scale && end.is_liberal) out += '|';
  if (end.is_liberal) out += "BE_LIBERAL";
  if (!end.has_window_scale && !end.is_liberal) out += '0';
}

void append_tcp(std::string& out, const std::array<TcpEndReport, 2>& tcp, bool is_verbose) {
  out += ",protoinfo=(";
  if (!is_verbose) {
    out.append("state=").append(
        kTcpStateNames[summary_state(std::max(tcp[0].state, tcp[1].state))]);
  } else {
    out.append("state_orig=").append(kTcpStateNames[tcp[0].state]);
    out.append(",state_reply=").append(kTcpStateNames[tcp[1].state]);
    if (tcp[0].window_scale != 0 || tcp[1].window_scale != 0) {
      append_number(out, ",wscale_orig=", tcp[0].window_scale);
      append_number(out, ",wscale_reply=", tcp[1].window_scale);
    }
    out += ",flags_orig=";
    append_end_flags(out, tcp[0]);
    out += ",flags_reply=";
    append_end_flags(out, tcp[1]);
  }
  out += ')';
}

}  // namespace

std::uint8_t summary_state(std::uint8_t tcp_state) noexcept {
  constexpr std::uint8_t kSynReceived = 3, kEstablished = 4, kFinWait2 = 9, kTimeWait = 10;
  if (tcp_state == kSynReceived) return kEstablished;
  return tcp_state == kFinWait2 ? kTimeWait : tcp_state;
}

void append_connection(std::string& out, const ConnectionReport& connection,
                       ConnectionDetail detail) {
  out += protocol_text(connection.original.ip_proto);
  out += ",orig=";
  append_tuple(out, connection.original);
  out += ",reply=";
  append_tuple(out, connection.reply);
  if (detail.is_verbose) out += ",id=0";  // Open vSwitch's userspace has no ids either.
  if (connection.zone != 0) append_number(out, ",zone=", connection.zone);
  if (detail.is_verbose) out += ",status=0";
  if (detail.has_stats) append_number(out, ",timeout=", connection.timeout_ms / 1000);
  if (connection.mark != 0) append_number(out, ",mark=", connection.mark);
  append_label(out, connection.label);
  if (connection.original.ip_proto == 6) append_tcp(out, connection.tcp, detail.is_verbose);
  if (!connection.helper.empty()) out.append(",helper=").append(connection.helper);
  if (detail.is_verbose && connection.parent) {
    out += ",parent=";
    append_tuple(out, *connection.parent);
  }
}

void append_expectation(std::string& out, const ExpectationReport& expectation) {
  out += protocol_text(expectation.tuple.ip_proto);
  out += ",orig=";
  append_tuple(out, expectation.tuple);
  if (expectation.zone != 0) append_number(out, ",zone=", expectation.zone);
  if (expectation.mark != 0) append_number(out, ",mark=", expectation.mark);
  append_label(out, expectation.label);
  out += ",parent=";
  append_tuple(out, expectation.parent);
}

}  // namespace hoist::text
