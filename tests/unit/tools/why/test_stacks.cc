// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_verdict.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "report/base/process.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A PATH with a py-spy of the test's own, and the shell.
class SpyPath {
 public:
  explicit SpyPath(const std::string& script) : before_(std::getenv("PATH")) {
    if (!script.empty()) {
      writeText(folder_ / "py-spy", "#!/bin/sh\n" + script + "\n");
      chmod((folder_ / "py-spy").c_str(), 0755);
    }
    setenv("PATH", folder_.path().c_str(), 1);
  }
  SpyPath(const SpyPath&) = delete;
  SpyPath& operator=(const SpyPath&) = delete;
  ~SpyPath() {
    setenv("PATH", before_.c_str(), 1);
  }

 private:
  TempFolder folder_;
  std::string before_;
};

/// A verdict whose cause is rank 1; rank 0 is a victim.
Verdict verdictHere() {
  Verdict verdict;
  for (const int64_t rank : {0, 1}) {
    HangRank& added = verdict.ranks.emplace_back();
    added.rank = rank;
    added.role = rank == 1 ? RankRole::kCause : RankRole::kVictim;
    added.host = hostName();
    added.pid = 4000 + rank;
    added.process = "sleeps";
  }
  return verdict;
}

TEST_CASE("the stacks of the cause's processes are those that py-spy prints") {
  const SpyPath path("echo stack of $4");
  Verdict verdict = verdictHere();
  addStacks(verdict);
  REQUIRE(verdict.stacks.size() == 1);
  CHECK(verdict.stacks[0].rank == 1);
  CHECK(verdict.stacks[0].command == "py-spy dump --nonblocking --pid 4001");
  CHECK(verdict.stacks[0].text == "stack of 4001\n");
}

TEST_CASE("a py-spy in the folder of this program is found, after those of PATH") {
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "py-spy";
  REQUIRE_FALSE(std::filesystem::exists(beside));
  const SpyPath path("");
  writeText(beside, "#!/bin/sh\necho stack of $4\n");
  chmod(beside.c_str(), 0755);
  Verdict verdict = verdictHere();
  addStacks(verdict);
  std::filesystem::remove(beside);
  REQUIRE(verdict.stacks.size() == 1);
  CHECK(verdict.stacks[0].text == "stack of 4001\n");
}

TEST_CASE("without py-spy, or if it fails, a line says so") {
  {
    const SpyPath path("");
    Verdict verdict = verdictHere();
    addStacks(verdict);
    REQUIRE(verdict.problems.size() == 1);
    CHECK(has(verdict.problems[0], "pip install py-spy"));
  }
  const SpyPath path("echo Permission denied >&2; exit 1");
  Verdict verdict = verdictHere();
  addStacks(verdict);
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems[0] == "py-spy dump --nonblocking --pid 4001: Permission denied");
}

TEST_CASE("processes of other machines, and those that have ended, have no stacks") {
  const SpyPath path("echo stack");
  Verdict verdict = verdictHere();
  verdict.ranks[1].host = "elsewhere";
  addStacks(verdict);
  CHECK(verdict.stacks.empty());
  verdict = verdictHere();
  verdict.ranks[1].process.clear();
  addStacks(verdict);
  CHECK(verdict.stacks.empty());
  CHECK(verdict.problems.empty());
}

} // namespace
} // namespace commtap
