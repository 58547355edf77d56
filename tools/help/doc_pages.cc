// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/doc_pages.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "tools/command/interpreter.h"
#include "tools/run/preload.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexFile = "README.md";
constexpr std::string_view kPageEnd = ".md";

std::vector<std::string> filesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) {
      files.push_back(fs::path(entry->path()).lexically_relative(folder).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool endsWithName(const std::string& page, const std::string& name) {
  return page == name || page.ends_with("/" + name);
}

} // namespace

Result<std::string> docsFolder() {
  const Result<std::string> index =
      findInstalled(executableFolder(), {"../share/commtap/docs/README.md", "../../docs/README.md" /* build tree */});
  return index ? Result<std::string>(fs::path(*index).parent_path().string()) : index;
}

std::string pageName(const std::string& path) {
  const fs::path file(path);
  if (file.filename() == kIndexFile && file.has_parent_path()) {
    return file.parent_path().string();
  }
  return path.ends_with(kPageEnd) ? path.substr(0, path.size() - kPageEnd.size()) : path;
}

std::vector<std::string> pageNames(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& file : filesIn(folder)) {
    if (file != kIndexFile && !file.ends_with(".png")) { // images of the checkout
      names.push_back(pageName(file));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string pageFile(const std::string& folder, const std::string& name) {
  const std::string wanted = pageName(name);
  std::vector<std::string> found;
  for (const std::string& file : filesIn(folder)) {
    const std::string page = pageName(file);
    if (page == wanted) {
      return file;
    }
    if (file != kIndexFile && endsWithName(page, wanted)) {
      found.push_back(file);
    }
  }
  return found.size() == 1 ? found[0] : "";
}

std::vector<PageGroup> pageIndex(std::string_view index) {
  std::vector<PageGroup> groups;
  for (const std::string_view line : linesOf(index)) {
    if (line.starts_with("## ")) {
      groups.push_back({std::string(line.substr(3)), {}});
    }
    const size_t border = line.find(" | ");
    if (groups.empty() || !line.starts_with("| ") || border == std::string_view::npos) {
      continue;
    }
    const std::string question(line.substr(2, border - 2));
    bool is_first = true;
    for (const Link& link : linksIn(line.substr(border))) {
      const std::string target(link.target);
      if (target.find("..") == std::string::npos && target.ends_with(kPageEnd)) {
        const std::string name = pageName(target);
        const bool says_more = !is_first && link.text != name;
        groups.back().pages.push_back({name, says_more ? std::string(link.text) : question});
        is_first = false;
      }
    }
  }
  return groups;
}

namespace {

/// Returns the link whose text begins at the bracket `open`; nullopt if the bracket begins none.
std::optional<Link> linkAt(std::string_view line, size_t open) {
  const size_t close = line.find("](", open);
  if (close == std::string_view::npos || line.substr(open + 1, close - open - 1).find('[') != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t end = line.find(')', close);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view target = line.substr(close + 2, end - close - 2);
  const bool is_image = open > 0 && line[open - 1] == '!';
  return Link{
      .begin = is_image ? open - 1 : open,
      .end = end + 1,
      .text = line.substr(open + 1, close - open - 1),
      .target = target.substr(0, target.find('#')),
      .is_image = is_image};
}

std::string shown(const Link& link, const std::string& file, const std::vector<std::string>& names) {
  if (link.is_image) {
    return "";
  }
  std::string text(link.text);
  if (link.target.starts_with("http")) {
    return text + " (" + std::string(link.target) + ")";
  }
  const std::string path =
      (std::filesystem::path(file).parent_path() / std::string(link.target)).lexically_normal().string();
  const std::string name = pageName(path);
  const bool is_other_page = !link.target.empty() && std::find(names.begin(), names.end(), name) != names.end();
  return is_other_page ? text + " (commtap help " + name + ")" : text;
}

std::string shownLine(std::string_view line, const std::string& file, const std::vector<std::string>& names) {
  std::string text;
  size_t start = 0;
  for (const Link& link : linksIn(line)) {
    text += line.substr(start, link.begin - start);
    text += shown(link, file, names);
    start = link.end;
  }
  return text.append(line.substr(start));
}

} // namespace

std::vector<Link> linksIn(std::string_view line) {
  std::vector<Link> links;
  for (size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
    if (const std::optional<Link> link = linkAt(line, open)) {
      links.push_back(*link);
      open = link->end - 1;
    }
  }
  return links;
}

std::string pageText(std::string_view markdown, const std::string& file, const std::vector<std::string>& names) {
  std::string text;
  bool is_code = false;
  for (const std::string_view line : linesOf(markdown)) {
    is_code = is_code != line.starts_with("```");
    if (!is_code && line.starts_with("<!--") && line.ends_with("-->")) {
      continue;
    }
    const std::string shown_line = is_code ? std::string(line) : shownLine(line, file, names);
    const bool was_image = shown_line.empty() && !line.empty();
    const bool repeats_blank = shown_line.empty() && !is_code && (text.empty() || text.ends_with("\n\n"));
    if (!was_image && !repeats_blank) {
      text += shown_line + "\n";
    }
  }
  return text;
}

namespace {

constexpr int kNotFound = 127; ///< of a shell that cannot start its command

} // namespace

std::string pagerCommand(bool is_terminal) {
  if (!is_terminal) {
    return "";
  }
  if (const char* chosen = std::getenv("PAGER"); chosen != nullptr) {
    return chosen;
  }
  return findOnPath("less", Environment(environ)).empty() ? "" : "less";
}

bool showInPager(const std::string& command, const std::string& text) {
  // As git does: a text that fits on the screen is printed, colours are kept.
  setenv("LESS", "FRX", 0);
  std::fflush(stdout);
  auto* const before = std::signal(SIGPIPE, SIG_IGN); // the user may leave the pager before its end
  // $PAGER is a command with arguments, by the user's own choice.
  // NOLINTNEXTLINE(bugprone-command-processor)
  FILE* pager = popen(command.c_str(), "w");
  if (pager != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pager);
  }
  const int status = pager == nullptr ? -1 : pclose(pager);
  std::signal(SIGPIPE, before);
  return status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == kNotFound);
}

} // namespace commtap
