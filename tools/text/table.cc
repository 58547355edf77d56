// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/table.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {

Color Color::forStream(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = no_color == nullptr || no_color[0] == '\0';
  const bool able = isatty(fd) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  return wanted && able ? always() : none();
}

std::string Color::wrap(std::string_view code, std::string_view text) const {
  return use_ == Use::kAlways ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

namespace {

constexpr size_t kMaxCell = 100; ///< columns

/// Returns whether a spreadsheet would compute the cell. Numbers stay numbers.
bool isFormula(std::string_view cell) {
  if (cell.find_first_of("=+-@") != 0) {
    return false;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return error != std::errc() || end != cell.data() + cell.size();
}

} // namespace

std::vector<TextColumn> textColumns(std::string_view titles) {
  std::vector<TextColumn> columns;
  while (!titles.empty()) {
    std::string_view title = titles.substr(0, titles.find('|'));
    titles.remove_prefix(std::min(title.size() + 1, titles.size()));
    const bool is_right = title.ends_with('>');
    title.remove_suffix(is_right ? 1 : 0);
    columns.push_back({std::string(title), is_right ? Align::kRight : Align::kLeft});
  }
  return columns;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) {
    cell = shorten(inert(cell), kMaxCell);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Color& color) const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    widths.push_back(displayWidth(titles[i]));
    for (const auto& row : rows_) {
      widths[i] = std::max(widths[i], displayWidth(row[i]));
    }
  }
  std::string text = color.bold(line(titles, widths)) + "\n";
  for (const auto& row : rows_) {
    text += line(row, widths) + "\n";
  }
  return text;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - displayWidth(cells[i]), ' ');
    line += i == 0 ? "" : "  ";
    line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string csvLine(std::span<const std::string> cells) {
  std::string line;
  const char* separator = "";
  for (const std::string& cell : cells) {
    line += std::exchange(separator, ",");
    const std::string safe = (isFormula(cell) ? "'" : "") + inert(cell);
    if (safe.find_first_of(",\"") == std::string::npos) {
      line += safe;
      continue;
    }
    line += '"';
    for (const char c : safe) {
      line += c == '"' ? "\"\"" : std::string(1, c);
    }
    line += '"';
  }
  return line + "\n";
}

} // namespace commtap
