// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table.hpp"

#include <algorithm>

namespace hoist::ctl {

std::string coloured(const std::string& text, Colour colour, bool is_on) {
  if (!is_on || colour == Colour::kNone) return text;
  const char* code = "";
  switch (colour) {
    case Colour::kBold:
      code = "1";
      break;
    case Colour::kGreen:
      code = "32";
      break;
    case Colour::kYellow:
      code = "33";
      break;
    case Colour::kRed:
      code = "31";
      break;
    default:
      code = "2";
      break;
  }
  return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
}

std::string TextTable::render(bool has_colours) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].text.size());
    widths.push_back(width);
  }
  std::string out;
  const auto write = [&](const std::vector<Cell>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].text.size(), ' ');
      const bool is_last = c + 1 == row.size();
      if (columns_[c].is_number) out += pad;
      out += coloured(row[c].text, row[c].colour, has_colours);
      if (!columns_[c].is_number && !is_last) out += pad;
      out += is_last ? "\n" : "  ";
    }
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.push_back({column.title, Colour::kBold});
  write(titles);
  for (const auto& row : rows_) write(row);
  return out;
}

}  // namespace hoist::ctl
