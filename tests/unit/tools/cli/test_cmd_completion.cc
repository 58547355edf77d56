// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("completion prints the script of the shell, with every command") {
  const Outcome bash = runCommtap({"completion", "bash"});
  const Outcome zsh = runCommtap({"completion", "zsh"});
  const Outcome fish = runCommtap({"completion", "fish"});
  CHECK(has(bash.out, "COMPREPLY"));
  CHECK(zsh.out.starts_with("#compdef commtap"));
  CHECK(has(fish.out, "complete -c commtap"));
  for (const Outcome* const outcome : {&bash, &zsh, &fish}) {
    CHECK(outcome->status() == 0);
    CHECK(has(outcome->out, "prune"));
    CHECK(has(outcome->out, "completion"));
  }
}

TEST_CASE("completion exits with 2 without a shell, and for one that it does not know") {
  CHECK(runCommtap({"completion"}).status() == 2);
  const Outcome other = runCommtap({"completion", "tcsh"});
  CHECK(other.status() == 2);
  CHECK(has(other.err, "fish"));
}

} // namespace
} // namespace commtap
