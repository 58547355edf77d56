// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/text/color.h"

namespace commtap {

enum class Align : bool { kLeft, kRight };

struct TextColumn {
  std::string title;
  Align align = Align::kLeft;
};

/// Formats columns of text, each as wide as its widest cell. Makes cells inert.
class Table {
 public:
  explicit Table(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  /// Adds a row with one cell per column; missing cells are empty.
  void add(std::vector<std::string> cells);

  bool empty() const {
    return rows_.empty();
  }

  std::string text(const Color& color) const;

 private:
  std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns one line of CSV (RFC 4180), with "\n" at its end. Makes cells inert, so none contains a line break. Puts "'"
/// before a cell that a spreadsheet would take for a formula.
std::string csvLine(std::span<const std::string> cells);

} // namespace commtap
