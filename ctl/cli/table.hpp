// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hoist::ctl {

enum class Colour : std::uint8_t { kNone, kBold, kGreen, kYellow, kRed, kDim };

/// `text` in a colour, if `is_on`.
[[nodiscard]] std::string coloured(const std::string& text, Colour colour, bool is_on);

/// A table for people: columns as wide as they need to be, numbers to the right.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::kNone;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell for each column.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string render(bool has_colours) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace hoist::ctl
