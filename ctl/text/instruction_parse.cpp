// SPDX-License-Identifier: BSD-3-Clause
#include "text/action_text.hpp"

namespace hoist::text {
namespace {

/// Instructions come in this order, each at most once; "actions" stand for apply_actions.
enum class Rank : std::uint8_t { kMeter, kApply, kClear, kWrite, kMetadata, kGoto };

struct Parser {
  const Scan& scan;
  const Match& match;
  Instructions out = {};
  Rank last = Rank::kMeter;
  bool has_any = false;

  Result<void> enter(const Word& word, Rank rank) {
    const bool may_follow = !has_any || rank > last || (rank == last && rank == Rank::kApply);
    if (!may_follow) return scan.wrong(word.whole, "not in the order in which instructions run");
    has_any = true;
    last = rank;
    return {};
  }

  Result<void> meter(const Word& word) {
    const auto v = scan.number(word.value, UINT32_MAX);
    if (!v) return tl::unexpected(v.error());
    out.meter_id = static_cast<std::uint32_t>(*v);
    return {};
  }
  Result<void> write_actions(const Word& word) {
    std::string_view rest = word.value;
    while (const auto inner = take_word(rest)) {
      if (auto done = parse_action(scan, *inner, match, out.write_actions); !done) return done;
    }
    return {};
  }
  Result<void> metadata(const Word& word) {
    const Halves halves = split(word.value, "/");
    const auto value = scan.number(halves.before, UINT64_MAX);
    if (!value) return tl::unexpected(value.error());
    std::uint64_t mask = UINT64_MAX;
    if (halves.after) {
      const auto given = scan.number(*halves.after, UINT64_MAX);
      if (!given) return tl::unexpected(given.error());
      mask = *given;
    }
    out.write_metadata = Instructions::Metadata{*value & mask, mask};
    return {};
  }
  Result<void> goto_table(const Word& word) {
    const auto v = scan.number(word.value, kTableCount - 1u);
    if (!v) return tl::unexpected(v.error());
    out.goto_table = static_cast<std::uint8_t>(*v);
    return {};
  }

  Result<void> parse(const Word& word) {
    struct Named {
      std::string_view name;
      Rank rank;
      Result<void> (Parser::*parse)(const Word&);
    };
    static constexpr Named kInstructions[] = {
        {"meter", Rank::kMeter, &Parser::meter},
        {"write_actions", Rank::kWrite, &Parser::write_actions},
        {"write_metadata", Rank::kMetadata, &Parser::metadata},
        {"goto_table", Rank::kGoto, &Parser::goto_table},
    };
    for (const Named& named : kInstructions) {
      if (named.name != word.name) continue;
      if (auto done = enter(word, named.rank); !done) return done;
      return (this->*named.parse)(word);
    }
    if (word.name == "clear_actions") {
      out.has_clear_actions = true;
      return enter(word, Rank::kClear);
    }
    if (auto done = enter(word, Rank::kApply); !done) return done;
    return parse_action(scan, word, match, out.apply_actions);
  }
};

}  // namespace

Result<Instructions> parse_action_list(const Scan& scan, std::string_view text,
                                       const Match& match) {
  Parser parser{scan, match};
  std::string_view rest = text;
  auto word = take_word(rest);
  if (word && equals_ignoring_case(word->whole, "drop")) {
    if (const auto more = take_word(rest)) return scan.wrong(more->whole, "drop stands alone");
    return Instructions{};
  }
  for (; word; word = take_word(rest)) {
    if (equals_ignoring_case(word->whole, "drop"))
      return scan.wrong(word->whole, "drop stands alone");
    if (auto done = parser.parse(*word); !done) return tl::unexpected(std::move(done.error()));
  }
  return std::move(parser.out);
}

Result<Instructions> parse_actions(std::string_view text, const PortResolver& port_of) {
  const Scan scan{text, port_of};
  return parse_action_list(scan, text, Match{});
}

}  // namespace hoist::text
