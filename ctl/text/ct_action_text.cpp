// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>

#include <cstring>
#include <string>

#include "text/action_text.hpp"
#include "text/field_text.hpp"

namespace hoist::text {
namespace {

using Kind = NatAction::Kind;

bool to_address(std::string_view word, int family, Ipv6Address& out) {
  out = {};
  return ::inet_pton(family, std::string(word).c_str(), out.data()) == 1;
}

/// Takes an address off `text`, IPv6 perhaps in brackets; false: there is none.
bool take_address(std::string_view& text, std::uint8_t family, Ipv6Address& out) {
  if (family == 4) {
    const std::size_t size = std::min(text.find_first_not_of("0123456789."), text.size());
    if (!to_address(text.substr(0, size), AF_INET, out)) return false;
    text.remove_prefix(size);
    return true;
  }
  const bool has_brackets = text.starts_with('[');
  if (has_brackets) text.remove_prefix(1);
  const std::size_t size =
      std::min(text.find_first_not_of("0123456789abcdefABCDEF:."), text.size());
  if (!to_address(text.substr(0, size), AF_INET6, out)) return false;
  text.remove_prefix(size);
  if (!has_brackets) return true;
  if (!text.starts_with(']')) return false;
  text.remove_prefix(1);
  return true;
}

/// "first[-last][:port[-port]]"
Result<void> parse_range(const Scan& scan, std::string_view word, NatAction& nat) {
  std::string_view text = word;
  const bool is_ipv4 = text.substr(0, text.find_first_of("-:[")).find('.') != text.npos;
  nat.family = is_ipv4 ? 4 : 6;
  const auto garbled = [&] { return scan.wrong(word, "not a range of addresses and ports"); };
  if (!take_address(text, nat.family, nat.first)) return garbled();
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    if (!take_address(text, nat.family, nat.last) || nat.last < nat.first) return garbled();
  }
  if (text.empty()) return {};
  if (!text.starts_with(':')) return garbled();
  const Halves ports = split(text.substr(1), "-");
  const auto first = scan.number(ports.before, UINT16_MAX);
  if (!first) return tl::unexpected(first.error());
  nat.first_port = static_cast<std::uint16_t>(*first);
  if (!ports.after) return {};
  const auto last = scan.number(*ports.after, UINT16_MAX);
  if (!last) return tl::unexpected(last.error());
  nat.last_port = static_cast<std::uint16_t>(*last);
  return nat.last_port < nat.first_port ? Result<void>(garbled()) : Result<void>{};
}

Result<NatAction> parse_nat(const Scan& scan, const Word& whole) {
  NatAction nat;
  std::string_view rest = whole.value;
  while (const auto word = take_word(rest)) {
    if (word->name == "src" || word->name == "dst") {
      if (nat.kind != Kind::kExisting) return scan.wrong(word->whole, "src or dst, not both");
      nat.kind = word->name == "src" ? Kind::kSource : Kind::kDestination;
      if (!word->has_value || word->value.empty()) continue;
      if (auto done = parse_range(scan, word->value, nat); !done)
        return tl::unexpected(done.error());
    } else if (word->name == "persistent") {
      nat.is_persistent = true;
    } else if (word->name == "hash") {
      nat.is_hash = true;
    } else if (word->name == "random") {
      nat.is_random = true;
    } else {
      return scan.wrong(word->whole, "nat has no such argument");
    }
  }
  const bool has_flags = nat.is_persistent || nat.is_hash || nat.is_random;
  if (nat.kind == Kind::kExisting && has_flags) {
    return scan.wrong(whole.whole, "flags need src or dst");
  }
  if (nat.is_hash && nat.is_random) return scan.wrong(whole.whole, "hash or random, not both");
  return nat;
}

Result<void> parse_exec(const Scan& scan, const Word& word, const Match& match, CtAction& ct) {
  ActionList actions;
  std::string_view rest = word.value;
  while (const auto inner = take_word(rest)) {
    if (auto done = parse_action(scan, *inner, match, actions); !done) return done;
  }
  const auto is_of_connection = [](FieldId id) {
    return id == FieldId::kCtMark || id == FieldId::kCtLabel;
  };
  for (const Action& action : actions) {
    if (const auto* set = std::get_if<SetFieldAction>(&action);
        set != nullptr && is_of_connection(set->field)) {
      ct.exec.emplace_back(*set);
    } else if (const auto* move = std::get_if<MoveAction>(&action);
               move != nullptr && is_of_connection(move->target.field)) {
      ct.exec.emplace_back(*move);
    } else {
      return scan.wrong(word.whole, "exec writes ct_mark and ct_label alone");
    }
  }
  return {};
}

Result<void> parse_zone(const Scan& scan, std::string_view word, CtAction& ct) {
  if (const auto zone = to_number(word)) {
    if (*zone > UINT16_MAX) return scan.wrong(word, "a zone has 16 bits");
    ct.zone = static_cast<std::uint16_t>(*zone);
    return {};
  }
  const auto bits = parse_bits(scan, word);
  if (!bits) return tl::unexpected(bits.error());
  if (bits->count != 16) return scan.wrong(word, "a zone has 16 bits");
  ct.zone_source = *bits;
  return {};
}

Result<void> parse_alg(const Scan& scan, std::string_view word, CtAction& ct) {
  if (word == "ftp") {
    ct.alg = 21;
  } else if (word == "tftp") {
    ct.alg = 69;
  } else {
    return scan.wrong(word, "no such helper");
  }
  return {};
}

Result<void> parse_argument(const Scan& scan, const Word& word, const Match& match, CtAction& ct) {
  if (word.name == "commit") {
    ct.commit = true;
  } else if (word.name == "force") {
    ct.force = true;
  } else if (word.name == "table") {
    const auto table = scan.number(word.value, 254);
    if (!table) return tl::unexpected(table.error());
    ct.table_id = static_cast<std::uint8_t>(*table);
  } else if (word.name == "zone") {
    return parse_zone(scan, word.value, ct);
  } else if (word.name == "alg") {
    return parse_alg(scan, word.value, ct);
  } else if (word.name == "nat") {
    const auto nat = parse_nat(scan, word);
    if (!nat) return tl::unexpected(nat.error());
    ct.nat = *nat;
  } else if (word.name == "exec") {
    return parse_exec(scan, word, match, ct);
  } else {
    return scan.wrong(word.whole, "ct has no such argument");
  }
  return {};
}

void append_address(std::string& out, const NatAction& nat, const Ipv6Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(nat.family == 4 ? AF_INET : AF_INET6, address.data(), text, sizeof text);
  const bool has_brackets = nat.family == 6 && nat.first_port != 0;
  if (has_brackets) out += '[';
  out += text;
  if (has_brackets) out += ']';
}

void append_nat(std::string& out, const NatAction& nat) {
  out += "nat";
  if (nat.kind == Kind::kExisting) return;
  out += nat.kind == Kind::kSource ? "(src" : "(dst";
  if (nat.family != 0) {
    out += '=';
    append_address(out, nat, nat.first);
    if (nat.last != Ipv6Address{} && nat.last != nat.first) {
      out += '-';
      append_address(out, nat, nat.last);
    }
    if (nat.first_port != 0) out += ':' + std::to_string(nat.first_port);
    if (nat.last_port != 0 && nat.last_port != nat.first_port) {
      out += '-' + std::to_string(nat.last_port);
    }
    if (nat.is_persistent) out += ",persistent";
    if (nat.is_hash) out += ",hash";
    if (nat.is_random) out += ",random";
  }
  out += ')';
}

}  // namespace

Result<CtAction> parse_ct(const Scan& scan, const Word& whole, const Match& match) {
  CtAction ct;
  std::string_view rest = whole.value;
  while (const auto word = take_word(rest)) {
    if (auto done = parse_argument(scan, *word, match, ct); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (ct.force && !ct.commit) return scan.wrong(whole.whole, "force needs commit");
  const bool needs_commit = !ct.exec.empty() || (ct.nat && ct.nat->kind != Kind::kExisting);
  if (needs_commit && !ct.commit) return scan.wrong(whole.whole, "exec and nat(...) need commit");
  return ct;
}

void append_ct(std::string& out, const CtAction& ct, const PortNamer& name_of) {
  out += "ct(";
  const auto start = out.size();
  if (ct.commit) out += "commit,";
  if (ct.force) out += "force,";
  if (ct.table_id) out += "table=" + std::to_string(*ct.table_id) + ",";
  if (ct.zone_source) {
    out += "zone=";
    append_bits(out, *ct.zone_source);
    out += ',';
  } else if (ct.zone != 0) {
    out += "zone=" + std::to_string(ct.zone) + ",";
  }
  if (ct.nat) {
    append_nat(out, *ct.nat);
    out += ',';
  }
  if (!ct.exec.empty()) {
    out += "exec(";
    for (const CtAction::Exec& exec : ct.exec) {
      std::visit([&](const auto& a) { append_action(out, a, name_of); }, exec);
      out += ',';
    }
    out.back() = ')';
    out += ',';
  }
  if (ct.alg == 21) out += "alg=ftp,";
  if (ct.alg == 69) out += "alg=tftp,";
  if (ct.alg != 0 && ct.alg != 21 && ct.alg != 69) out += "alg=" + std::to_string(ct.alg) + ",";
  if (out.size() > start) out.pop_back();
  out += ')';
}

}  // namespace hoist::text
