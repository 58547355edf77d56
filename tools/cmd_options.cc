// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cmd_options.h"

#include "report/options.h"
#include "tools/verbs.h"

namespace commtap {

void addOptions(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("options", "Print docs/options.md");
  verb->group(""); // for `./dev docs`, not for users
  setUsage(*verb, "commtap options --format markdown");
  verb->add_option("--format", "markdown")->check(oneOf({"markdown"}))->type_name("markdown");
  verb->callback([&exit_status] { exit_status = printOut(optionsPage()); });
}

} // namespace commtap
