// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/target.hpp"

#include <charconv>

namespace hoist::openflow {
namespace {

bool parse_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Takes "[address]" or what stands before the next colon off the front of `text`.
std::string_view take_address(std::string_view& text) {
  const bool is_bracketed = !text.empty() && text.front() == '[';
  if (is_bracketed) text.remove_prefix(1);
  const std::string_view address = text.substr(0, text.find(is_bracketed ? ']' : ':'));
  text.remove_prefix(address.size());
  if (is_bracketed && !text.empty()) text.remove_prefix(1);
  if (!text.empty() && text.front() == ':') text.remove_prefix(1);
  return address;
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
  const auto bad = [whole = std::string(text)](const char* why) {
    return failure(Errc::kInvalidArgument, "\"" + whole + "\": " + why);
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad("want ptcp:, punix:, tcp: or unix:");
  const std::string_view kind = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  Target target;
  if (kind == "punix" || kind == "unix") {
    if (rest.empty()) return bad("the path is missing");
    target.kind = kind == "unix" ? Kind::kConnectUnix : Kind::kListenUnix;
    target.address = rest;
    return target;
  }
  if (kind == "ptcp") {
    const std::string_view port = rest.substr(0, rest.find(':'));
    if (!port.empty() && !parse_port(port, target.port)) return bad("that is no TCP port");
    rest.remove_prefix(port.size());
    if (!rest.empty()) rest.remove_prefix(1);
    target.address = take_address(rest);
    return target;
  }
  if (kind == "tcp") {
    target.kind = Kind::kConnectTcp;
    target.address = take_address(rest);
    if (target.address.empty()) return bad("the address is missing");
    if (!rest.empty() && !parse_port(rest, target.port)) return bad("that is no TCP port");
    return target;
  }
  return bad("want ptcp:, punix:, tcp: or unix:");
}

}  // namespace hoist::openflow
