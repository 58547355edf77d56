// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cmd_options.h"

#include <memory>

#include "report/options.h"
#include "tools/manual.h"
#include "tools/verbs.h"

namespace commtap {
namespace {

std::string pageOf(const std::string& page, const CLI::App& app) {
  if (page == "man") {
    return manualPage(verbsOf(app));
  }
  return page == "commands" ? commandsPage(verbsOf(app)) : optionsPage();
}

} // namespace

void addOptions(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("options", "Print a page that is made from the tables of options");
  verb->group(""); // for `./dev docs` and the build, not for users
  setUsage(*verb, "commtap options --format markdown|commands|man");
  auto page = std::make_shared<std::string>();
  verb->add_option("--format", *page, "docs/options.md, docs/commands.md, commtap.1")
      ->check(oneOf({"markdown", "commands", "man"}))
      ->type_name("markdown|commands|man");
  verb->callback([&app, page, &exit_status] { exit_status = printOut(pageOf(*page, app)); });
}

} // namespace commtap
