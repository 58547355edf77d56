// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/cmd_options.h"

#include <memory>

#include "report/base/text_file.h"
#include "report/model/options.h"
#include "tools/cli/manual.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/docs/row_pages.h"
#include "tools/docs/tables_page.h"
#include "tools/metrics/metrics.h"

namespace commtap {
namespace {

struct OptionsArguments {
  std::string page;
  std::string file;
};

std::string pageOf(const std::string& page, const CLI::App& app) {
  if (page == "man") {
    return manualPage(verbsOf(app));
  }
  if (page == "commands") {
    return commandsPage(verbsOf(app));
  }
  return page == "metrics" ? metricsPage() : page == "tables" ? tablesPage() : optionsPage();
}

/// Prints a file with its generated parts regenerated.
int printFilled(const OptionsArguments& arguments) {
  const Result<std::string> text = readTextFile(arguments.file);
  if (!text) {
    say(text.error());
    return kExitUsage;
  }
  const Result<std::string> filled = arguments.page == "schema" ? schemaWithRows(*text) : pageWithFields(*text);
  if (!filled) {
    say(arguments.file + ": " + filled.error());
    return kExitUsage;
  }
  return printOut(*filled);
}

int print(const OptionsArguments& arguments, const CLI::App& app) {
  const bool is_filled = arguments.page == "schema" || arguments.page == "fields";
  return is_filled ? printFilled(arguments) : printOut(pageOf(arguments.page, app));
}

} // namespace

void addOptions(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("options", "Print a page generated from the option tables");
  verb->group(""); // for `./dev docs` and the build, not for users
  describe(*verb, {.usage = "commtap options --format options|commands|man|metrics|tables|schema|fields [FILE]"});
  auto arguments = std::make_shared<OptionsArguments>();
  verb->add_option("--format", arguments->page, "docs/FORMAT.md, commtap.1, or FILE with its generated parts")
      ->check(oneOf({"markdown", "options", "commands", "man", "metrics", "tables", "schema", "fields"}))
      ->type_name("FORMAT");
  verb->add_option("FILE", arguments->file, "schema: a file of docs/schema; fields: a page with tables of fields");
  verb->callback([&app, arguments, &exit_status] { exit_status = print(*arguments, app); });
}

} // namespace commtap
