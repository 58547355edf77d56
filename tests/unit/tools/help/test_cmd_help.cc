// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("help lists the pages by the parts of the index, and shows a page") {
  const Outcome list = runCommtap({"help"});
  CHECK(list.status() == 0);
  CHECK(has(list.out, "\nMy job\n  doctor                 Would commtap count my job? If not, why?\n"));
  CHECK(has(list.out, "\nMy cluster\n"));
  CHECK(has(list.out, "\nMy code\n"));
  const Outcome agents = runCommtap({"help", "agents"});
  CHECK(agents.status() == 0);
  CHECK(agents.out.starts_with("# "));
  CHECK(has(agents.out, "time (commtap help timing)"));
}

TEST_CASE("help of a command is its page, which names --help, else its --help") {
  CHECK(runCommtap({"help", "show"}).out.starts_with("commtap show --help lists the options.\n\n# "));
  for (const char* verb : {"run", "env", "completion"}) {
    const Outcome help = runCommtap({"help", verb});
    CHECK(help.status() == 0);
    CHECK(help.out == runCommtap({verb, "--help"}).out);
  }
}

TEST_CASE("help of an unknown page names the nearest ones and exits with 2") {
  const Outcome wrong = runCommtap({"help", "timming"});
  CHECK(wrong.status() == 2);
  CHECK(wrong.err == "commtap: \"timming\" is no page; did you mean timing? commtap help lists the pages\n");
  CHECK(has(runCommtap({"help", "dash"}).err, "did you mean dashboards, dashboards/"));
  CHECK(has(runCommtap({"help", "qqqqqqqqqq"}).err, "\"qqqqqqqqqq\" is no page: commtap help lists the pages\n"));
}

TEST_CASE("help without its pages is one sentence") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::copy_file(COMMTAP_EXE, folder / "bin/commtap");
  const Outcome outcome = runProgram({folder / "bin/commtap", "help", "timing"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.starts_with("commtap: README.md was not found at any of "));
  CHECK(outcome.err.ends_with(": install commtap again\n"));
}

} // namespace
} // namespace commtap
