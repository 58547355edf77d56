// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/wrapping.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace commtap {
namespace {

/// Returns the size in bytes of what stands at `at`: an escape sequence that sets a colour, or a character.
size_t sizeAt(std::string_view text, size_t at) {
  if (text[at] == '\x1b') {
    return std::min(text.find('m', at), text.size() - 1) - at + 1;
  }
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
    ++end;
  }
  return end - at;
}

} // namespace

size_t fittingSize(std::string_view line, size_t columns) {
  size_t used = 0;
  size_t at = 0;
  while (at < line.size()) {
    used += line[at] == '\x1b' ? 0 : 1;
    if (used > columns) {
      return at;
    }
    at += sizeAt(line, at);
  }
  return at;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string wrapped(std::string_view text, size_t columns, std::string_view further) {
  std::string result;
  for (std::string_view line : linesOf(text)) {
    std::string_view indent;
    while (fittingSize(line, columns - indent.size()) < line.size()) {
      const size_t most = fittingSize(line, columns - indent.size());
      const size_t space = line.substr(0, most + 1).rfind(' ');
      const bool at_space = space != std::string_view::npos && line.find_first_not_of(' ') < space;
      const size_t size = at_space ? space : most;
      result.append(indent).append(line.substr(0, size)).append("\n");
      line.remove_prefix(size + (at_space ? 1 : 0));
      indent = columns > 2 * further.size() ? further : "";
    }
    result.append(indent).append(line).append("\n");
  }
  return result;
}

std::string unbroken(std::string text) {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    if (text[at + 1] == '\n') {
      ++at; // between two paragraphs
    } else {
      text[at] = ' ';
    }
  }
  return text;
}

ScreenSize screenSize(int fd) {
  winsize size{};
  if (isatty(fd) == 0 || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

} // namespace commtap
