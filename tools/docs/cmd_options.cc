// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/cmd_options.h"

#include <memory>

#include "report/model/options.h"
#include "tools/cli/manual.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/metrics/metrics.h"
#include "tools/tables/report_tables.h"

namespace commtap {
namespace {

std::string pageOf(const std::string& page, const CLI::App& app) {
  if (page == "man") {
    return manualPage(verbsOf(app));
  }
  if (page == "commands") {
    return commandsPage(verbsOf(app));
  }
  return page == "metrics" ? metricsPage() : page == "tables" ? tablesPage() : optionsPage();
}

} // namespace

void addOptions(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("options", "Print a page that is made from the tables of options");
  verb->group(""); // for `./dev docs` and the build, not for users
  describe(*verb, {.usage = "commtap options --format options|commands|man|metrics|tables"});
  auto page = std::make_shared<std::string>();
  verb->add_option("--format", *page, "docs/FORMAT.md, commtap.1; markdown is the same as options")
      ->check(oneOf({"markdown", "options", "commands", "man", "metrics", "tables"}))
      ->type_name("FORMAT");
  verb->callback([&app, page, &exit_status] { exit_status = printOut(pageOf(*page, app)); });
}

} // namespace commtap
