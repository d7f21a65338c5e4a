// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hoist/error.hpp"
#include "text/flow_text.hpp"

namespace hoist::text {

/// What the parsers share: the whole text, so that an error can name the column of a word in it,
/// and the ports' names. All words are views into `all`.
struct Scan {
  std::string_view all;
  const PortResolver& port_of;

  [[nodiscard]] tl::unexpected<Error> wrong(std::string_view word, std::string_view why) const;
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string_view word,
                                                  std::string_view why) const;

  /// A number: decimal, 0x hexadecimal or 0 octal, at most `most`.
  [[nodiscard]] Result<std::uint64_t> number(std::string_view word, std::uint64_t most) const;
  /// A port's number, name (perhaps in quotes) or reserved name in any case.
  [[nodiscard]] Result<PortNo> port(std::string_view word) const;
};

/// "name", "name=value", "name:value" or "name(value)".
struct Word {
  std::string_view whole;
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};
/// Takes the next word off `rest`; commas and blanks separate words, except inside parentheses.
/// Nothing when only separators are left.
[[nodiscard]] std::optional<Word> take_word(std::string_view& rest);

/// Text before and after the first `mark`; `after` is nothing if there is none.
struct Halves {
  std::string_view before;
  std::optional<std::string_view> after;
};
[[nodiscard]] Halves split(std::string_view text, std::string_view mark);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] std::optional<std::uint64_t> to_number(std::string_view word) noexcept;

/// Name of a reserved port ("LOCAL"), or empty.
[[nodiscard]] std::string_view reserved_name(PortNo port) noexcept;

}  // namespace hoist::text
