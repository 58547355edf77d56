// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A step whose "compiler" is a shell command.
BuildStep shell(const std::string& command) {
  return {.source_path = "", .source_text = "", .command = {"/bin/sh", "-c", command}};
}

std::string run(const BuildPlan& plan, size_t jobs, std::vector<size_t>& done) {
  const char* const variables[] = {"PATH=/usr/bin:/bin", nullptr};
  return runBuild(plan, Environment(variables), jobs, [&](size_t count, size_t total) {
    CHECK(total == plan.compile.size());
    done.push_back(count);
  });
}

TEST_CASE("all is compiled before it is linked, with each number of compilers") {
  for (const size_t jobs : {size_t{0}, size_t{1}, size_t{3}, size_t{100}}) {
    const TempFolder folder;
    BuildPlan plan;
    std::string link = "cat";
    for (int i = 0; i < 4; ++i) {
      const std::string name = folder / std::to_string(i);
      plan.compile.push_back(shell("cp " + name + ".cc " + name + ".o"));
      plan.compile.back().source_path = name + ".cc";
      plan.compile.back().source_text = std::to_string(i);
      link += " " + name + ".o";
    }
    plan.link = shell(link + " > " + folder / "all");
    std::vector<size_t> done;
    CHECK(run(plan, jobs, done).empty());
    CHECK(readText(folder / "all") == "0123");
    CHECK(done == std::vector<size_t>{1, 2, 3, 4});
  }
}

TEST_CASE("the first failure ends the build, with the command and what the compiler said") {
  const TempFolder folder;
  BuildPlan plan;
  plan.compile = {shell("echo no such type >&2; exit 1"), shell("touch " + folder / "later")};
  plan.link = shell("touch " + folder / "linked");
  std::vector<size_t> done;
  const std::string failure = run(plan, 1, done);
  CHECK(failure.starts_with("/bin/sh failed:\n/bin/sh -c echo no such type"));
  CHECK(failure.ends_with("no such type\n"));
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a source that cannot be written, and a linker that fails, are failures") {
  const TempFolder folder;
  BuildPlan plan;
  plan.compile = {shell("true")};
  plan.link = shell("echo undefined symbol >&2; exit 1");
  std::vector<size_t> done;
  CHECK(has(run(plan, 1, done), "undefined symbol"));
  plan.compile[0].source_path = folder / "missing/0.cc";
  plan.compile[0].source_text = "text";
  CHECK(has(run(plan, 1, done), folder / "missing"));
}

} // namespace
} // namespace commtap
