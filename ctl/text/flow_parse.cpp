// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <limits>
#include <vector>

#include "text/action_text.hpp"
#include "text/flow_text.hpp"
#include "text/match_text.hpp"

namespace hoist::text {
namespace {

using openflow::FlowMod;
using Command = FlowMod::Command;

struct FlagWord {
  std::string_view name;
  std::uint16_t flag;
};
constexpr auto kFlags = std::to_array<FlagWord>({{"send_flow_rem", FlowMod::kSendFlowRem},
                                                 {"check_overlap", FlowMod::kCheckOverlap},
                                                 {"reset_counts", FlowMod::kResetCounts},
                                                 {"no_packet_counts", FlowMod::kNoPacketCounts},
                                                 {"no_byte_counts", FlowMod::kNoByteCounts}});

/// What dump-flows prints besides, so that its lines can be fed back.
constexpr auto kIgnored =
    std::to_array<std::string_view>({"duration", "n_packets", "n_bytes", "idle_age", "hard_age"});

class Parser {
 public:
  Parser(const Scan& scan, Command command) : scan_(scan) {
    mod_.command = command;
    mod_.table_id = is_delete() ? 0xff : 0;
  }

  Result<FlowMod> parse() && {
    const std::string_view text = scan_.all;
    const Split parts = split_actions(text);
    std::string_view rest = parts.head;
    while (const auto word = take_word(rest)) {
      if (auto done = take(*word); !done) return tl::unexpected(std::move(done.error()));
    }
    auto match = parse_match_words(scan_, match_words_);
    if (!match) return tl::unexpected(std::move(match.error()));
    mod_.match = *match;
    if (parts.actions) {
      auto instructions = parse_action_list(scan_, *parts.actions, mod_.match);
      if (!instructions) return tl::unexpected(std::move(instructions.error()));
      mod_.instructions = std::move(*instructions);
    } else if (!is_delete()) {
      return scan_.wrong(text.substr(text.size()), "actions are missing");
    }
    return std::move(mod_);
  }

 private:
  struct Split {
    std::string_view head;
    std::optional<std::string_view> actions;
  };
  /// "actions=" or "action=" ends the match; everything after it is actions.
  static Split split_actions(std::string_view text) {
    std::size_t at = text.find("action");
    while (at != std::string_view::npos) {
      const std::string_view rest = text.substr(at);
      for (const std::string_view mark : {"actions=", "action="}) {
        const bool starts_word =
            at == 0 || text[at - 1] == ',' || text[at - 1] == ' ' || text[at - 1] == '\t';
        if (starts_word && rest.starts_with(mark))
          return {text.substr(0, at), rest.substr(mark.size())};
      }
      at = text.find("action", at + 1);
    }
    return {text, std::nullopt};
  }

  [[nodiscard]] bool is_delete() const {
    return mod_.command == Command::kDelete || mod_.command == Command::kDeleteStrict;
  }

  template <class T>
  Result<void> number(const Word& word, T& to, std::uint64_t most = std::numeric_limits<T>::max()) {
    const auto v = scan_.number(word.value, most);
    if (!v) return tl::unexpected(v.error());
    to = static_cast<T>(*v);
    return {};
  }

  Result<void> cookie(const Word& word) {
    const Halves halves = split(word.value, "/");
    const auto value = scan_.number(halves.before, UINT64_MAX);
    if (!value) return tl::unexpected(value.error());
    if (!halves.after) {
      if (is_delete()) return scan_.wrong(word.whole, "a deletion needs cookie=value/mask");
      if (mod_.command == Command::kAdd) {
        mod_.cookie = *value;
      } else {
        mod_.new_cookie = *value;
      }
      return {};
    }
    if (mod_.command == Command::kAdd)
      return scan_.wrong(word.whole, "an addition cannot match a cookie");
    const auto mask = *halves.after == "-1" ? Result<std::uint64_t>(UINT64_MAX)
                                            : scan_.number(*halves.after, UINT64_MAX);
    if (!mask) return tl::unexpected(mask.error());
    mod_.cookie = *value & *mask;
    mod_.cookie_mask = *mask;
    return {};
  }

  Result<void> out_port(const Word& word) {
    const auto port = scan_.port(word.value);
    if (!port) return tl::unexpected(port.error());
    mod_.out_port = *port;
    return {};
  }

  Result<void> take(const Word& word) {
    for (const FlagWord& flag : kFlags) {
      if (word.whole != flag.name) continue;
      mod_.flags = static_cast<std::uint16_t>(mod_.flags | flag.flag);
      return {};
    }
    for (const std::string_view name : kIgnored) {
      if (word.name == name) return {};
    }
    if (is_match_word(word)) {
      match_words_.push_back(word);
      return {};
    }
    if (!word.has_value) return scan_.wrong(word.whole, "not a field, protocol or flag");
    if (word.name == "table") return number(word, mod_.table_id, kTableCount - 1u);
    if (word.name == "priority") return number(word, mod_.priority);
    if (word.name == "cookie") return cookie(word);
    if (word.name == "idle_timeout") return number(word, mod_.idle_timeout);
    if (word.name == "hard_timeout") return number(word, mod_.hard_timeout);
    if (word.name == "importance") return number(word, mod_.importance);
    if (word.name == "out_port") return out_port(word);
    if (word.name == "out_group") return number(word, mod_.out_group);
    return scan_.wrong(word.whole, "not a field or setting");
  }

  const Scan& scan_;
  FlowMod mod_;
  std::vector<Word> match_words_;
};

}  // namespace

Result<openflow::FlowMod> parse_flow(std::string_view text, const PortResolver& port_of,
                                     openflow::FlowMod::Command command) {
  const Scan scan{text, port_of};
  return Parser(scan, command).parse();
}

}  // namespace hoist::text
