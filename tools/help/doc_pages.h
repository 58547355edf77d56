// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"

namespace commtap {

/// A page as the index of the documentation lists it.
struct ListedPage {
  std::string name;
  std::string about; ///< the question that it answers; for a further page of one question, the words of its link
};

/// A part of the index, such as "My job".
struct PageGroup {
  std::string title;
  std::vector<ListedPage> pages;
};

/// Returns the folder of the pages of this installation, or of the checkout for the command of its build tree. The
/// error is one line.
Result<std::string> docsFolder();

/// Returns the names of all pages below `folder`, sorted: "timing" is timing.md, "dashboards" is dashboards/README.md.
/// A file that is not Markdown has its whole name, such as "schema/commtap-2.schema.json".
std::vector<std::string> pageNames(const std::string& folder);

/// Returns the file of a page, relative to the folder; "" if there is none. `name` may lack the folders of a page and
/// the end .md if one page alone has this name.
std::string pageFile(const std::string& folder, const std::string& name);

/// Returns the name of the page in the file `path`, which is relative to the folder.
std::string pageName(const std::string& path);

/// Returns the groups of the index: headings, and tables whose rows are a question and links to pages.
std::vector<PageGroup> pageIndex(std::string_view index);

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
