// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/cmd_help.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "report/base/text_file.h"
#include "report/model/spelling.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/help/doc_pages.h"
#include "tools/help/page_text.h"
#include "tools/help/pager.h"

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

int refuse(const std::string& wrong, std::vector<std::string> names, const CLI::App& app) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    names.push_back(verb->get_name());
  }
  const std::vector<std::string> meant = candidates(wrong, names);
  const std::string question =
      meant.empty() ? "" : fmt::format("; did you mean {}? commtap help", fmt::join(meant, ", "));
  say(fmt::format("\"{}\" is no page{} lists the pages", wrong, question.empty() ? ": commtap help" : question));
  return kExitUsage;
}

int showPage(const std::string& folder, const std::string& file, const CLI::App* verb) {
  const Result<std::string> markdown = readTextFile(folder + "/" + file);
  if (!markdown) {
    say(markdown.error());
    return kExitFindings;
  }
  if (!file.ends_with(".md")) {
    return showText(*markdown);
  }
  const std::string options =
      verb == nullptr ? "" : fmt::format("commtap {} --help lists the options.\n\n", verb->get_name());
  return showText(options + pageText(*markdown, file, pageNames(folder)));
}

const CLI::App* commandNamed(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands(
      [&name](const CLI::App* verb) { return verb->get_name() == name && !verb->get_group().empty(); });
  return found.empty() ? nullptr : found.front();
}

int help(const CLI::App& app, const std::string& name) {
  const CLI::App* verb = name.empty() ? nullptr : commandNamed(app, name);
  const Result<std::string> folder = docsFolder();
  if (!folder && verb == nullptr) {
    say(folder.error());
    return kExitFindings;
  }
  if (name.empty()) {
    const Result<std::string> index = readTextFile(*folder + "/README.md");
    return index ? showText(listOfPages(pageIndex(*index))) : kExitFindings;
  }
  if (const std::string file = folder ? pageFile(*folder, name) : ""; !file.empty()) {
    return showPage(*folder, file, verb);
  }
  return verb != nullptr ? printOut(verb->help()) : refuse(name, pageNames(*folder), app);
}

} // namespace

void addHelp(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("help", "Show a page of the documentation");
  describe(
      *verb,
      {.usage = "commtap help [NAME]",
       .about = kHelpAbout,
       .exit_status = kHelpExitStatus,
       .examples = {"commtap help", "commtap help timing", "commtap help agents"}});
  auto name = std::make_shared<std::string>();
  verb->add_option("NAME", *name, "A page, such as timing or dashboards/slurm, or a command")->type_name("");
  verb->callback([&app, name, &exit_status] { exit_status = help(app, *name); });
}

} // namespace commtap
