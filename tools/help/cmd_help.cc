// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/text_file.h"
#include "report/model/spelling.h"
#include "tools/cli/parser.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/help/doc_pages.h"

namespace commtap {
namespace {

constexpr const char* kHelpAbout =
    "Shows a page of the documentation that was installed with this command; without NAME, lists the pages. A\n"
    "command without a page gets its --help. In a terminal, $PAGER or less shows the page.";
constexpr const char* kHelpExitStatus = "0 shown; 1 the pages are not installed; 2 wrong usage, or no such page.";
constexpr size_t kMostCandidates = 5;

int showText(const std::string& text) {
  const std::string pager = pagerCommand(isatty(STDOUT_FILENO) == 1);
  return !pager.empty() && showInPager(pager, text) ? kExitOk : printOut(text);
}

std::string listOfPages(const std::vector<PageGroup>& groups) {
  std::string text = "commtap help NAME shows one of these pages; commtap --help lists the commands.\n";
  for (const PageGroup& group : groups) {
    text += "\n" + group.title + "\n";
    for (const ListedPage& page : group.pages) {
      text += fmt::format("  {:<22} {}\n", page.name, page.about);
    }
  }
  return text;
}

/// Returns the names that `wrong` may be meant for: those that contain it, else the closest one.
std::vector<std::string> candidates(const std::string& wrong, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found), [&wrong](const std::string& name) {
    return name.find(wrong) != std::string::npos;
  });
  if (found.empty()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const std::string_view closest = closestName(wrong, views); !closest.empty()) {
      found.emplace_back(closest);
    }
  }
  found.resize(std::min(found.size(), kMostCandidates));
  return found;
}

int refuse(const std::string& wrong, std::vector<std::string> names, const Verb& program) {
  for (const Verb& verb : shownVerbs(program)) {
    names.push_back(verb.name);
  }
  const std::vector<std::string> meant = candidates(wrong, names);
  const std::string question =
      meant.empty() ? "" : fmt::format("; did you mean {}? commtap help", fmt::join(meant, ", "));
  say(fmt::format("\"{}\" is no page{} lists the pages", wrong, question.empty() ? ": commtap help" : question));
  return kExitUsage;
}

int showPage(const std::string& folder, const std::string& file, const Verb* verb) {
  const std::string markdown = orEnd(readTextFile(folder + "/" + file), kExitFindings);
  if (!file.ends_with(".md")) {
    return showText(markdown);
  }
  const std::string options =
      verb == nullptr ? "" : fmt::format("commtap {} --help lists the options.\n\n", verb->name);
  return showText(options + pageText(markdown, file, pageNames(folder)));
}

int help(const Verb& program, const std::string& name) {
  const Verb* verb = verbNamed(program, name);
  verb = verb != nullptr && verb->group.empty() ? nullptr : verb;
  const Result<std::string> folder = docsFolder();
  endIf(!folder && verb == nullptr ? folder.error() : "", kExitFindings);
  if (name.empty()) {
    const Result<std::string> index = readTextFile(*folder + "/README.md");
    return index ? showText(listOfPages(pageIndex(*index))) : kExitFindings;
  }
  if (const std::string file = folder ? pageFile(*folder, name) : ""; !file.empty()) {
    return showPage(*folder, file, verb);
  }
  return verb != nullptr ? printOut(helpText(program, *verb)) : refuse(name, pageNames(*folder), program);
}

} // namespace

Verb helpVerb() {
  auto name = std::make_shared<std::string>();
  return {
      .name = "help",
      .help = "Show a page of the documentation",
      .usage = "commtap help [NAME]",
      .about = kHelpAbout,
      .exit_status = kHelpExitStatus,
      .examples = {"commtap help", "commtap help timing", "commtap help agents"},
      .options =
          {{.names = "NAME", .help = "A page, such as timing or dashboards/slurm, or a command", .to = name.get()}},
      .run = [name](const Given& given) { return help(given.program, *name); }};
}

} // namespace commtap
