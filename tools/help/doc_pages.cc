// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/doc_pages.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tools/help/page_text.h"
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

} // namespace commtap
