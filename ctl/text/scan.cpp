// SPDX-License-Identifier: BSD-3-Clause
#include "text/scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace hoist::text {
namespace {

struct Reserved {
  std::string_view name;
  PortNo port;
};
constexpr auto kReserved = std::to_array<Reserved>({{"IN_PORT", PortNo::kInPort},
                                                    {"TABLE", PortNo::kTable},
                                                    {"NORMAL", PortNo::kNormal},
                                                    {"FLOOD", PortNo::kFlood},
                                                    {"ALL", PortNo::kAll},
                                                    {"CONTROLLER", PortNo::kController},
                                                    {"LOCAL", PortNo::kLocal},
                                                    {"ANY", PortNo::kAny},
                                                    {"NONE", PortNo::kAny}});

bool is_separator(char c) noexcept {
  return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string at_column(std::string_view all, std::string_view word, std::string_view why) {
  const auto column = word.data() - all.data() + 1;
  return "column " + std::to_string(column) + ", \"" + std::string(word) +
         "\": " + std::string(why);
}

/// Where a word that starts at 0 ends: at a separator outside parentheses, after the parenthesis
/// that closes the first, or at the end.
std::size_t word_end(std::string_view text) noexcept {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth <= 0) return i + 1;
    if (depth == 0 && is_separator(text[i])) return i;
  }
  return text.size();
}

}  // namespace

tl::unexpected<Error> Scan::wrong(std::string_view word, std::string_view why) const {
  return failure(Errc::kInvalidArgument, at_column(all, word, why));
}
tl::unexpected<Error> Scan::unsupported(std::string_view word, std::string_view why) const {
  return failure(Errc::kUnsupported, at_column(all, word, why));
}

std::optional<std::uint64_t> to_number(std::string_view word) noexcept {
  int base = 10;
  if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
    base = 16;
    word.remove_prefix(2);
  } else if (word.size() > 1 && word[0] == '0') {
    base = 8;
    word.remove_prefix(1);
  }
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v, base);
  if (error != std::errc{} || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return v;
}

Result<std::uint64_t> Scan::number(std::string_view word, std::uint64_t most) const {
  const auto v = to_number(word);
  if (!v) return wrong(word, "not a number");
  if (*v > most) return wrong(word, "above " + std::to_string(most));
  return *v;
}

Result<PortNo> Scan::port(std::string_view word) const {
  if (const auto v = to_number(word)) {
    if (*v < 0xff00 || (*v >= 0xffffff00 && *v <= 0xffffffff)) {
      return PortNo{static_cast<std::uint32_t>(*v)};
    }
    if (*v <= 0xffff) return PortNo{0xffff0000u | static_cast<std::uint32_t>(*v)};
    return wrong(word, "not a port number");
  }
  for (const Reserved& r : kReserved) {
    if (equals_ignoring_case(word, r.name)) return r.port;
  }
  std::string_view name = word;
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  if (port_of) {
    if (const auto port = port_of(name)) return *port;
  }
  return wrong(word, "no such port");
}

std::optional<Word> take_word(std::string_view& rest) {
  while (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;
  Word word;
  word.whole = rest.substr(0, word_end(rest));
  rest.remove_prefix(word.whole.size());
  const std::size_t mark = word.whole.find_first_of("=:(");
  word.name = word.whole.substr(0, mark);
  if (mark == std::string_view::npos) return word;
  word.has_value = true;
  word.value = word.whole.substr(mark + 1);
  if (word.whole[mark] == '(' && word.value.ends_with(')')) word.value.remove_suffix(1);
  return word;
}

Halves split(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + mark.size())};
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view reserved_name(PortNo port) noexcept {
  const auto* found = std::ranges::find(kReserved, port, &Reserved::port);
  return found == kReserved.end() ? std::string_view{} : found->name;
}

}  // namespace hoist::text
