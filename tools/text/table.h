// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Colours text or leaves it plain, decided once per stream.
class Color {
 public:
  /// Enables colour only if `fd` is a terminal with colours and NO_COLOR is not set (no-color.org).
  static Color forStream(int fd);
  static Color none() {
    return Color(Use::kNever);
  }
  static Color always() {
    return Color(Use::kAlways);
  }

  std::string bold(std::string_view text) const {
    return wrap("1", text);
  }
  std::string dim(std::string_view text) const {
    return wrap("2", text);
  }
  std::string warning(std::string_view text) const {
    return wrap("1;33", text);
  }
  /// Marks a line that needs a person now.
  std::string alarm(std::string_view text) const {
    return wrap("1;31", text);
  }

 private:
  enum class Use : bool { kNever, kAlways };

  explicit Color(Use use) : use_(use) {}

  std::string wrap(std::string_view code, std::string_view text) const;

  Use use_;
};

enum class Align : bool { kLeft, kRight };

struct TextColumn {
  std::string title;
  Align align = Align::kLeft;
};

/// Returns columns of titles that "|" separates; those of a title before ">" are aligned to the right: "KIND|COUNT>".
std::vector<TextColumn> textColumns(std::string_view titles);

/// Formats columns of text, each as wide as its widest cell. Makes cells inert.
class Table {
 public:
  explicit Table(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  explicit Table(std::string_view titles) : columns_(textColumns(titles)) {}

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
