// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <string>

#include "tools/cli.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"

int main(int argc, char** argv) {
  try {
    commtap::takeOwnPython();
    return commtap::runCommandLine({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    commtap::say(std::string("internal error: ") + error.what());
    return 1;
  }
}
