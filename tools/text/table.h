// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/text/color.h"

namespace commtap {

enum class Align : bool { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

/// Columns of text, as wide as their widest cell. Cells are made inert.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column; what is missing is empty.
  void add(std::vector<std::string> cells);

  bool empty() const {
    return rows_.empty();
  }

  std::string text(const Color& color) const;

 private:
  std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// One line of CSV (RFC 4180), with "\n" at its end. Cells are made inert, so no cell has a line break.
std::string csvLine(std::span<const std::string> cells);

} // namespace commtap
