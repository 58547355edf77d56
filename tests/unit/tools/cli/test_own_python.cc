// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/run_note.h"

#include <doctest/doctest.h>

#include <cstdlib>

namespace commtap {
namespace {

TEST_CASE("the Python that has started the command is taken out of the environment") {
  const std::string before = ownPython();
  setenv("COMMTAP_STARTED_BY", "", 1);
  takeOwnPython();
  CHECK(ownPython() == before);
  CHECK(std::getenv("COMMTAP_STARTED_BY") == nullptr);
  setenv("COMMTAP_STARTED_BY", "/venv/bin/python", 1);
  takeOwnPython();
  CHECK(ownPython() == "/venv/bin/python");
  CHECK(std::getenv("COMMTAP_STARTED_BY") == nullptr);
  setenv("COMMTAP_STARTED_BY", before.c_str(), 1);
  takeOwnPython();
}

} // namespace
} // namespace commtap
