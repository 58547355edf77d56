// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cmd_options.h"

#include "report/options.h"
#include "tools/metrics.h"
#include "tools/report_tables.h"
#include "tools/verbs.h"

namespace commtap {
namespace {

std::string pageNamed(const std::string& name) {
  return name == "metrics" ? metricsPage() : name == "tables" ? tablesPage() : optionsPage();
}

} // namespace

void addOptions(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("options", "Print a page of docs/ that is made from a table in the code");
  verb->group(""); // for `./dev docs`, not for users
  setUsage(*verb, "commtap options --format markdown [--page NAME]");
  verb->add_option("--format", "markdown")->check(oneOf({"markdown"}))->type_name("markdown");
  auto page = std::make_shared<std::string>("options");
  verb->add_option("--page", *page)
      ->check(oneOf({"options", "metrics", "tables"}))
      ->type_name("options|metrics|tables");
  verb->callback([page, &exit_status] { exit_status = printOut(pageNamed(*page)); });
}

} // namespace commtap
