// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "report/base/text_file.h"
#include "report/model/options.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/docs/row_pages.h"
#include "tools/metrics/metrics.h"

namespace commtap {
namespace {

struct OptionsArguments {
  std::string page;
  std::string file;
};

std::string pageOf(const std::string& page, const Verb& program) {
  if (page == "man") {
    return manualPage(shownVerbs(program));
  }
  if (page == "commands") {
    return commandsPage(shownVerbs(program));
  }
  return page == "metrics" ? metricsPage() : page == "tables" ? tablesPage() : optionsPage();
}

/// Prints a file with its generated parts regenerated.
int printFilled(const OptionsArguments& arguments) {
  const std::string text = orEnd(readTextFile(arguments.file));
  return printOut(orEnd(
      arguments.page == "schema" ? schemaWithRows(text) : pageWithFields(text), kExitUsage, arguments.file + ": "));
}

int print(const OptionsArguments& arguments, const Verb& program) {
  const bool is_filled = arguments.page == "schema" || arguments.page == "fields";
  return is_filled ? printFilled(arguments) : printOut(pageOf(arguments.page, program));
}

} // namespace

Verb optionsVerb() {
  auto arguments = std::make_shared<OptionsArguments>();
  return {
      .name = "options",
      .help = "Print a page generated from the option tables",
      .usage = "commtap options --format options|commands|man|metrics|tables|schema|fields [FILE]",
      .options =
          {{.names = "--format",
            .value = "FORMAT",
            .help = "docs/FORMAT.md, commtap.1, or FILE with its generated parts",
            .to = &arguments->page,
            .words = {"markdown", "options", "commands", "man", "metrics", "tables", "schema", "fields"}},
           {.names = "FILE",
            .value = "TEXT",
            .help = "schema: a file of docs/schema; fields: a page with tables of fields",
            .to = &arguments->file}},
      .run = [arguments](const Given& given) { return print(*arguments, given.program); }};
}

} // namespace commtap
