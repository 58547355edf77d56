// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>

#include "report/base/inert.h"
#include "tools/cli.h"

int main(int argc, char** argv) {
  try {
    return commtap::runCommandLine({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "commtap: internal error: %s\n", commtap::inert(error.what()).c_str());
    return 1;
  }
}
