// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// A Markdown link or image in a line.
struct Link {
  size_t begin = 0; ///< of the whole link, in bytes
  size_t end = 0;
  std::string_view text;
  std::string_view target; ///< without an anchor
  bool is_image = false;
};

/// Returns the links of a line, from left to right.
std::vector<Link> linksIn(std::string_view line);

/// Returns a page as text for a terminal: Markdown without images and comments, in which a link to one of the pages
/// `names` is its words and the command that shows the page. `file` is the page's own, relative to the folder of pages.
std::string pageText(std::string_view markdown, const std::string& file, const std::vector<std::string>& names);

/// Returns the shell command that shows a long text in a terminal: $PAGER, else less if it is installed. "" if there is
/// none, or if stdout is not a terminal.
std::string pagerCommand(bool is_terminal);

/// Has a pager show `text`, and waits for its end. Returns false if the pager could not be started.
bool showInPager(const std::string& command, const std::string& text);

} // namespace commtap
