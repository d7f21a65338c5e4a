// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "openflow/check.hpp"
#include "text/field_text.hpp"
#include "text/match_text.hpp"
#include "text/protocol_names.hpp"

namespace hoist::text {
namespace {

using F = FieldId;

const ProtocolName* find_protocol(std::string_view name) noexcept {
  for (const ProtocolName& p : kProtocolNames) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

bool is_type_word(std::string_view name) noexcept {
  return name == "dl_type" || name == "eth_type";
}
bool is_proto_word(std::string_view name) noexcept {
  return name == "nw_proto" || name == "ip_proto";
}
bool is_vlan_word(std::string_view name) noexcept {
  return name == "dl_vlan" || name == "dl_vlan_pcp" || name == "vlan_pcp";
}
bool is_port_word(std::string_view name) noexcept { return name == "tp_src" || name == "tp_dst"; }

/// Builds a match field by field, and remembers which, to check their prerequisites at the end.
class Builder {
 public:
  explicit Builder(const Scan& scan) : scan_(scan) {}

  Result<void> protocol(const Word& word, const ProtocolName& p) {
    if (auto done = demand(word, F::kEthType, p.eth_type, 0xffff); !done) return done;
    if (p.ip_proto == 0) return {};
    return demand(word, F::kIpProto, p.ip_proto, 0xff);
  }
  Result<void> add(const Word& word) {
    if (!word.has_value) return scan_.wrong(word.whole, "lacks a value");
    if (is_vlan_word(word.name)) return vlan(word);
    const Field* f = field_of(word.name);
    if (f == nullptr) return scan_.wrong(word.name, "needs a protocol in the match that has it");
    auto parsed = parse_value(scan_, *f, word.value);
    if (!parsed) return tl::unexpected(std::move(parsed.error()));
    if (f->id == F::kInPort && low64(parsed->value) == to_integer(PortNo::kAny)) {
      return scan_.wrong(word.value, "no packet comes in there");
    }
    if (f->id == F::kIpTos) {
      if ((parsed->value[15] & 3) != 0) return scan_.wrong(word.value, "nw_tos has ECN bits");
      parsed->mask[15] &= 0xfc;
    }
    return demand(word, *f, parsed->value, parsed->mask);
  }
  Result<Match> finish() const {
    for (const Given& given : given_) {
      if (!openflow::is_satisfied(given.field->prerequisite, match_)) {
        return scan_.wrong(given.word, "needs a protocol in the match that has it");
      }
    }
    return match_;
  }

 private:
  struct Given {
    const Field* field;
    std::string_view word;
  };

  /// Resolves names that depend on the protocol.
  [[nodiscard]] const Field* field_of(std::string_view name) const noexcept {
    const bool is_arp = openflow::is_satisfied(Prerequisite::kArp, match_);
    const bool is_ipv6 = openflow::is_satisfied(Prerequisite::kIpv6, match_);
    if (is_port_word(name)) return transport_port(match_, name == "tp_src");
    const Field* f = find_field(name);
    if (f == nullptr) return nullptr;
    if (is_arp && f->id == F::kNwSrc) return &field(F::kArpSpa);
    if (is_arp && f->id == F::kNwDst) return &field(F::kArpTpa);
    if (is_arp && f->id == F::kIpProto) return &field(F::kArpOp);
    if (is_ipv6 && f->id == F::kIcmpType) return &field(F::kIcmpv6Type);
    if (is_ipv6 && f->id == F::kIcmpCode) return &field(F::kIcmpv6Code);
    return f;
  }

  Result<void> vlan(const Word& word) {
    const bool is_vid = word.name == "dl_vlan";
    const auto v = scan_.number(word.value, is_vid ? 0xffff : 7);
    if (!v) return tl::unexpected(v.error());
    if (is_vid && *v == 0xffff) return demand(word, F::kVlanTci, 0, 0xffff);
    if (is_vid && *v > kVlanVidMask) return scan_.wrong(word.value, "above 4095");
    // An untagged packet has no priority; what is asked of it is ignored, as in OpenFlow 1.0.
    if (!is_vid && match_.mask.vlan_tci.host() == 0xffff && match_.value.vlan_tci.host() == 0)
      return {};
    constexpr std::uint64_t kPcpMask = 0xe000;
    const std::uint64_t mask = is_vid ? kVlanVidMask : kPcpMask;
    const std::uint64_t tci = is_vid ? *v : *v << 13;
    // Both words ask for a tag, so that bit is not a repetition.
    if (auto done = demand(word, F::kVlanTci, tci, mask); !done) return done;
    const Field& f = field(F::kVlanTci);
    set_field(match_.value, f, field_value(kVlanPresent), field_value(kVlanPresent));
    set_field(match_.mask, f, field_value(kVlanPresent), field_value(kVlanPresent));
    return {};
  }

  Result<void> demand(const Word& word, FieldId id, std::uint64_t value, std::uint64_t mask) {
    return demand(word, field(id), field_value(value), field_value(mask));
  }
  Result<void> demand(const Word& word, const Field& f, const FieldValue& value,
                      const FieldValue& mask) {
    const FieldValue before = get_field(match_.mask, f);
    const FieldValue present = get_field(match_.value, f);
    for (std::size_t i = 0; i < 16; ++i) {
      const unsigned both = before[i] & mask[i];
      if (both == 0) continue;
      // "ip" beside "dl_type=0x0800" says the same twice, which does no harm.
      if (before != mask || present != value)
        return scan_.wrong(word.whole, "contradicts or repeats");
    }
    set_field(match_.value, f, value, mask);
    set_field(match_.mask, f, mask, mask);
    given_.push_back({&f, word.whole});
    return {};
  }

  const Scan& scan_;
  Match match_;
  std::vector<Given> given_;
};

/// Words that say the protocol come before those that depend on it.
int stage_of(const Word& word) noexcept {
  if (!word.has_value || is_type_word(word.name)) return 0;
  return is_proto_word(word.name) || word.name.ends_with("_frag") ? 1 : 2;
}

}  // namespace

bool is_match_word(const Word& word) noexcept {
  return (!word.has_value && find_protocol(word.name) != nullptr) || is_vlan_word(word.name) ||
         is_port_word(word.name) || find_field(word.name) != nullptr;
}

const Field* transport_port(const Match& match, bool is_source) noexcept {
  using P = Prerequisite;
  if (openflow::is_satisfied(P::kTcp, match)) return &field(is_source ? F::kTcpSrc : F::kTcpDst);
  if (openflow::is_satisfied(P::kUdp, match)) return &field(is_source ? F::kUdpSrc : F::kUdpDst);
  if (openflow::is_satisfied(P::kSctp, match)) return &field(is_source ? F::kSctpSrc : F::kSctpDst);
  return nullptr;
}

Result<Match> parse_match_words(const Scan& scan, std::span<const Word> words) {
  Builder builder(scan);
  for (int stage = 0; stage < 3; ++stage) {
    for (const Word& word : words) {
      if (stage_of(word) != stage) continue;
      const ProtocolName* p = word.has_value ? nullptr : find_protocol(word.name);
      auto done = p != nullptr ? builder.protocol(word, *p) : builder.add(word);
      if (!done) return tl::unexpected(std::move(done.error()));
    }
  }
  return builder.finish();
}

Result<Match> parse_match(std::string_view text, const PortResolver& port_of) {
  const Scan scan{text, port_of};
  std::vector<Word> words;
  std::string_view rest = text;
  while (const auto word = take_word(rest)) {
    if (!is_match_word(*word)) return scan.wrong(word->whole, "not a field or protocol");
    words.push_back(*word);
  }
  return parse_match_words(scan, words);
}

}  // namespace hoist::text
