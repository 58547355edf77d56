// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "report/model/options.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("the hidden command options prints the options page") {
  CHECK(runCommtap({"options", "--format", "markdown"}).out == optionsPage());
  CHECK(runCommtap({"--help"}).out.find("option tables") == std::string::npos);
}

} // namespace
} // namespace commtap
