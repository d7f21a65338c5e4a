// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "text/action_text.hpp"
#include "text/field_text.hpp"
#include "text/match_text.hpp"

namespace hoist::text {
namespace {

using F = FieldId;
using Form = SetFieldAction::Form;
using Actions = ActionList;

struct Context {
  const Scan& scan;
  const Word& word;
  const Match& match;
  Actions& out;
};

/// Appends what `make` makes of the word's value as a number of at most `most`.
template <class Make>
Result<void> number(const Context& c, std::uint64_t most, Make make) {
  const auto v = c.scan.number(c.word.value, most);
  if (!v) return tl::unexpected(v.error());
  c.out.push_back(make(*v));
  return {};
}
template <class A>
Result<void> plain(const Context& c) {
  if (c.word.has_value && !c.word.value.empty())
    return c.scan.wrong(c.word.whole, "takes no argument");
  c.out.push_back(A{});
  return {};
}

Result<void> legacy(const Context& c, const Field* f) {
  if (f == nullptr) return c.scan.wrong(c.word.whole, "no such field");
  const auto parsed = parse_value(c.scan, *f, c.word.value);
  if (!parsed) return tl::unexpected(parsed.error());
  if (parsed->mask != full_mask(*f)) return c.scan.wrong(c.word.whole, "takes no mask");
  c.out.push_back(SetFieldAction{f->id, Form::kLegacy, parsed->value, parsed->mask});
  return {};
}
Result<void> legacy_port(const Context& c, bool is_source) {
  const Field* f = transport_port(c.match, is_source);
  return legacy(c, f != nullptr ? f : &field(is_source ? F::kTcpSrc : F::kTcpDst));
}
Result<void> mod_nw_tos(const Context& c) {
  const auto v = c.scan.number(c.word.value, 0xfc);
  if (!v) return tl::unexpected(v.error());
  if ((*v & 3) != 0) return c.scan.wrong(c.word.value, "has ECN bits");
  c.out.push_back(
      SetFieldAction{F::kIpDscp, Form::kLegacy, field_value(*v >> 2), field_value(0x3f)});
  return {};
}

/// "value[/mask]->field"
Result<void> set_field_action(const Context& c) {
  const Halves halves = split(c.word.value, "->");
  if (!halves.after) return c.scan.wrong(c.word.whole, "-> and a field are missing");
  const Field* f = find_field(*halves.after);
  if (f == nullptr) return c.scan.wrong(*halves.after, "no such field");
  if (!f->is_writable || f->id == F::kInPort)
    return c.scan.wrong(*halves.after, "cannot be written");
  auto parsed = parse_value(c.scan, *f, halves.before);
  if (!parsed) return tl::unexpected(parsed.error());
  const FieldValue full = full_mask(*f);
  if (f->id == F::kVlanVid && parsed->mask == full) {
    parsed->value[14] |= kVlanPresent >> 8;  // OFPVID_PRESENT goes without saying.
  }
  c.out.push_back(SetFieldAction{f->id, Form::kSetField, parsed->value, parsed->mask});
  return {};
}

/// "value->field[bits]"
Result<void> load(const Context& c) {
  const Halves halves = split(c.word.value, "->");
  if (!halves.after) return c.scan.wrong(c.word.whole, "-> and a field are missing");
  const auto bits = parse_bits(c.scan, *halves.after);
  if (!bits) return tl::unexpected(bits.error());
  if (!field(bits->field).is_writable) return c.scan.wrong(*halves.after, "cannot be written");
  const std::uint64_t most = bits->count < 64 ? (std::uint64_t{1} << bits->count) - 1 : UINT64_MAX;
  const auto v = c.scan.number(halves.before, most);
  if (!v) return tl::unexpected(v.error());
  SetFieldAction set{bits->field, Form::kRegLoad, {}, {}};
  for (unsigned i = 0; i < bits->count; ++i) {
    const unsigned at = bits->start + i;
    const auto bit = static_cast<std::uint8_t>(1u << at % 8);
    set.mask[15 - at / 8] |= bit;
    if (i < 64 && (*v >> i & 1) != 0) set.value[15 - at / 8] |= bit;
  }
  c.out.push_back(set);
  return {};
}

Result<void> move(const Context& c) {
  const Halves halves = split(c.word.value, "->");
  if (!halves.after) return c.scan.wrong(c.word.whole, "-> and a field are missing");
  const auto source = parse_bits(c.scan, halves.before);
  if (!source) return tl::unexpected(source.error());
  const auto target = parse_bits(c.scan, *halves.after);
  if (!target) return tl::unexpected(target.error());
  if (source->count != target->count)
    return c.scan.wrong(c.word.whole, "not the same number of bits");
  if (!field(target->field).is_writable) return c.scan.wrong(*halves.after, "cannot be written");
  c.out.push_back(MoveAction{*source, *target});
  return {};
}

Result<void> stack(const Context& c, bool is_push) {
  const auto bits = parse_bits(c.scan, c.word.value);
  if (!bits) return tl::unexpected(bits.error());
  if (is_push) {
    c.out.push_back(StackPushAction{*bits});
    return {};
  }
  if (!field(bits->field).is_writable) return c.scan.wrong(c.word.value, "cannot be written");
  c.out.push_back(StackPopAction{*bits});
  return {};
}

Result<void> to_port(const Context& c, std::string_view word) {
  const auto port = c.scan.port(word);
  if (!port) return tl::unexpected(port.error());
  if (*port == PortNo::kAny) return c.scan.wrong(word, "no port");
  const std::uint16_t max_len = *port == PortNo::kController ? 0xffff : 0;
  c.out.push_back(OutputAction{*port, max_len});
  return {};
}

Result<void> output(const Context& c) {
  const std::string_view v = c.word.value;
  if (c.word.whole.find('(') != std::string_view::npos && v.find('=') != std::string_view::npos) {
    return c.scan.unsupported(c.word.whole, "output with max_len is not supported");
  }
  if (v.find('[') == std::string_view::npos) return to_port(c, v);
  const auto bits = parse_bits(c.scan, v);
  if (!bits) return tl::unexpected(bits.error());
  c.out.push_back(OutputRegAction{*bits, 0xffff});
  return {};
}

/// "enqueue:port:queue" or "enqueue(port,queue)"
Result<void> enqueue(const Context& c) {
  const Halves halves =
      split(c.word.value, c.word.value.find(',') != std::string_view::npos ? "," : ":");
  if (!halves.after) return c.scan.wrong(c.word.whole, "port and queue are missing");
  const auto port = c.scan.port(halves.before);
  if (!port) return tl::unexpected(port.error());
  const auto queue = c.scan.number(*halves.after, UINT32_MAX);
  if (!queue) return tl::unexpected(queue.error());
  c.out.push_back(EnqueueAction{*port, static_cast<std::uint32_t>(*queue)});
  return {};
}

/// "resubmit:port", "resubmit(port,table)", "resubmit(,table)"
Result<void> resubmit(const Context& c) {
  ResubmitAction a;
  const Halves halves = split(c.word.value, ",");
  if (halves.after && halves.after->find(',') != std::string_view::npos) {
    return c.scan.unsupported(c.word.whole, "resubmit with ct is not supported");
  }
  if (!halves.before.empty()) {
    const auto port = c.scan.port(halves.before);
    if (!port) return tl::unexpected(port.error());
    a.in_port = *port;
  }
  if (halves.after && !halves.after->empty()) {
    const auto table = c.scan.number(*halves.after, 255);
    if (!table) return tl::unexpected(table.error());
    a.table_id = static_cast<std::uint8_t>(*table);
  }
  if (a == ResubmitAction{}) return c.scan.wrong(c.word.whole, "neither port nor table");
  c.out.push_back(a);
  return {};
}

Result<void> dec_ttl(const Context& c) {
  DecNwTtlAction a;
  std::string_view rest = c.word.value;
  while (const auto id = take_word(rest)) {
    const auto v = c.scan.number(id->whole, UINT16_MAX);
    if (!v) return tl::unexpected(v.error());
    a.controller_ids.push_back(static_cast<std::uint16_t>(*v));
  }
  c.out.push_back(std::move(a));
  return {};
}

/// Bytes in hexadecimal, dots between them as one likes.
Result<std::vector<std::uint8_t>> hex_bytes(const Scan& scan, std::string_view text) {
  std::vector<std::uint8_t> bytes;
  while (!text.empty()) {
    if (text.front() == '.') {
      text.remove_prefix(1);
      continue;
    }
    const std::string digits = "0x" + std::string(text.substr(0, 2));
    const auto v = digits.size() == 4 ? to_number(digits) : std::nullopt;
    if (!v) return scan.wrong(text, "not bytes in hexadecimal");
    bytes.push_back(static_cast<std::uint8_t>(*v));
    text.remove_prefix(2);
  }
  return bytes;
}

/// Padded as it would be on the wire, where a note fills its action.
Result<void> note(const Context& c) {
  auto bytes = hex_bytes(c.scan, c.word.value);
  if (!bytes) return tl::unexpected(bytes.error());
  while (bytes->size() < 6 || (bytes->size() + 10) % 8 != 0) bytes->push_back(0);
  c.out.push_back(NoteAction{std::move(*bytes)});
  return {};
}

Result<void> controller_argument(const Scan& scan, const Word& word, ControllerAction& a) {
  constexpr auto kReasons = std::to_array<std::string_view>(
      {"no_match", "action", "invalid_ttl", "action_set", "group", "packet_out"});
  if (word.name == "pause") {
    a.pause = true;
  } else if (word.name == "max_len" || word.name == "id") {
    const auto v = scan.number(word.value, UINT16_MAX);
    if (!v) return tl::unexpected(v.error());
    (word.name == "id" ? a.controller_id : a.max_len) = static_cast<std::uint16_t>(*v);
  } else if (word.name == "reason") {
    const auto* reason = std::ranges::find(kReasons, word.value);
    if (reason == kReasons.end()) return scan.wrong(word.value, "no such reason");
    a.reason = static_cast<std::uint8_t>(reason - kReasons.begin());
  } else if (word.name == "userdata") {
    auto bytes = hex_bytes(scan, word.value);
    if (!bytes) return tl::unexpected(bytes.error());
    a.userdata = std::move(*bytes);
  } else {
    return scan.wrong(word.whole, "controller has no such argument");
  }
  return {};
}

/// "controller", "controller:max_len", "controller(max_len=..,reason=..,id=..,userdata=..,pause)"
Result<void> controller(const Context& c) {
  if (!c.word.has_value || c.word.value.empty()) {
    c.out.push_back(OutputAction{PortNo::kController, 0xffff});
    return {};
  }
  if (to_number(c.word.value)) {
    return number(c, UINT16_MAX, [](std::uint64_t v) {
      return OutputAction{PortNo::kController, static_cast<std::uint16_t>(v)};
    });
  }
  ControllerAction a;
  std::string_view rest = c.word.value;
  while (const auto word = take_word(rest)) {
    if (auto done = controller_argument(c.scan, *word, a); !done) return done;
  }
  const bool is_plain = a.reason == 1 && a.controller_id == 0 && a.userdata.empty() && !a.pause;
  if (is_plain) {
    c.out.push_back(OutputAction{PortNo::kController, a.max_len});
    return {};
  }
  a.is_version2 = a.pause || !a.userdata.empty();
  c.out.push_back(std::move(a));
  return {};
}

Result<void> push_vlan(const Context& c) {
  const auto v = to_number(c.word.value);
  if (v != 0x8100 && v != 0x88a8) return c.scan.wrong(c.word.whole, "not 0x8100 or 0x88a8");
  c.out.push_back(PushVlanAction{static_cast<std::uint16_t>(*v)});
  return {};
}
Result<void> push_mpls(const Context& c) {
  const auto v = to_number(c.word.value);
  if (v != 0x8847 && v != 0x8848) return c.scan.wrong(c.word.whole, "not 0x8847 or 0x8848");
  c.out.push_back(PushMplsAction{static_cast<std::uint16_t>(*v)});
  return {};
}

/// An action of one number.
template <class A, class T, std::uint64_t kMost>
Result<void> one(const Context& c) {
  return number(c, kMost, [](std::uint64_t v) { return A{static_cast<T>(v)}; });
}

struct Named {
  std::string_view name;
  Result<void> (*parse)(const Context&);
};
constexpr auto kActions = std::to_array<Named>({
    {"output", output},
    {"controller", controller},
    {"enqueue", enqueue},
    {"set_field", set_field_action},
    {"load", load},
    {"reg_load", load},
    {"move", move},
    {"push", [](const Context& c) { return stack(c, true); }},
    {"pop", [](const Context& c) { return stack(c, false); }},
    {"resubmit", resubmit},
    {"note", note},
    {"exit", plain<ExitAction>},
    {"dec_ttl", dec_ttl},
    {"mod_dl_src", [](const Context& c) { return legacy(c, &field(F::kEthSrc)); }},
    {"mod_dl_dst", [](const Context& c) { return legacy(c, &field(F::kEthDst)); }},
    {"mod_nw_src", [](const Context& c) { return legacy(c, &field(F::kNwSrc)); }},
    {"mod_nw_dst", [](const Context& c) { return legacy(c, &field(F::kNwDst)); }},
    {"mod_nw_tos", mod_nw_tos},
    {"mod_nw_ecn", [](const Context& c) { return legacy(c, &field(F::kIpEcn)); }},
    {"mod_nw_ttl", one<SetNwTtlAction, std::uint8_t, 255>},
    {"mod_tp_src", [](const Context& c) { return legacy_port(c, true); }},
    {"mod_tp_dst", [](const Context& c) { return legacy_port(c, false); }},
    {"mod_vlan_vid", one<SetVlanVidAction, std::uint16_t, 4095>},
    {"mod_vlan_pcp", one<SetVlanPcpAction, std::uint8_t, 7>},
    {"strip_vlan", plain<PopVlanAction>},
    {"pop_vlan", plain<PopVlanAction>},
    {"push_vlan", push_vlan},
    {"push_mpls", push_mpls},
    {"pop_mpls", one<PopMplsAction, std::uint16_t, 0xffff>},
    {"set_mpls_label", [](const Context& c) { return legacy(c, &field(F::kMplsLabel)); }},
    {"set_mpls_tc", [](const Context& c) { return legacy(c, &field(F::kMplsTc)); }},
    {"set_mpls_ttl", one<SetMplsTtlAction, std::uint8_t, 255>},
    {"dec_mpls_ttl", plain<DecMplsTtlAction>},
    {"copy_ttl_out", plain<CopyTtlOutAction>},
    {"copy_ttl_in", plain<CopyTtlInAction>},
    {"set_tunnel", [](const Context& c) { return legacy(c, &field(F::kTunnelId)); }},
    {"set_tunnel64", [](const Context& c) { return legacy(c, &field(F::kTunnelId)); }},
    {"set_queue", one<SetQueueAction, std::uint32_t, UINT32_MAX>},
    {"pop_queue", plain<PopQueueAction>},
    {"ct",
     [](const Context& c) -> Result<void> {
       auto ct = parse_ct(c.scan, c.word, c.match);
       if (!ct) return tl::unexpected(ct.error());
       c.out.push_back(std::move(*ct));
       return {};
     }},
    {"ct_clear", plain<CtClearAction>},
    {"group", one<GroupAction, std::uint32_t, UINT32_MAX>},
});

/// Actions that ovs-ofctl has and hoist does not, to say so rather than "no such port".
constexpr auto kUnsupported = std::to_array<std::string_view>(
    {"nat", "learn", "multipath", "bundle", "bundle_load", "conjunction", "clone", "sample",
     "fin_timeout", "encap", "decap", "dec_nsh_ttl", "check_pkt_larger", "delete_field",
     "set_vlan_vid", "set_vlan_pcp"});

}  // namespace

Result<void> parse_action(const Scan& scan, const Word& word, const Match& match, ActionList& out) {
  const Context context{scan, word, match, out};
  for (const Named& named : kActions) {
    if (equals_ignoring_case(named.name, word.name)) return named.parse(context);
  }
  if (std::ranges::find(kUnsupported, word.name) != kUnsupported.end()) {
    return scan.unsupported(word.whole, "action " + std::string(word.name) + " is not supported");
  }
  if (word.has_value) return scan.wrong(word.whole, "no such action");
  auto done = to_port(context, word.whole);
  if (!done) return scan.wrong(word.whole, "no such action or port");
  return done;
}

}  // namespace hoist::text
