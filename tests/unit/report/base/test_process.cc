// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/process.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/base/json_text.h"

namespace commtap {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

ProcessIdentity self() {
  const auto pid = static_cast<uint64_t>(getpid());
  return {pid, processStartTicks(pid).value(), bootId()};
}

TEST_CASE("this process runs") {
  CHECK(mayBeRunning(self()));
  CHECK_FALSE(bootId().empty());
}

TEST_CASE("another process of the same pid is not this one") {
  ProcessIdentity other = self();
  other.start_ticks -= 1;
  CHECK_FALSE(mayBeRunning(other));
}

TEST_CASE("a process of another machine, boot or pid namespace cannot be known") {
  ProcessIdentity other = self();
  other.start_ticks -= 1;
  other.boot_id = "elsewhere";
  CHECK(mayBeRunning(other));
}

TEST_CASE("a process that has ended is gone, waited for or not") {
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(processStartTicks(static_cast<uint64_t>(child)));
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(processStartTicks(static_cast<uint64_t>(child)));
  CHECK_FALSE(processStartTimeNs(static_cast<uint64_t>(child)));
}

TEST_CASE("the start time is before now and not long ago") {
  const uint64_t started = processStartTimeNs(static_cast<uint64_t>(getpid())).value();
  CHECK(started < wallClockNs() + 2 * kNsPerSecond);
  CHECK(started + 3600 * kNsPerSecond > wallClockNs());
}

TEST_CASE("a run began before this process, and without ancestors that are preloaded when the parent did") {
  const pid_t child = fork();
  if (child == 0) {
    const uint64_t parent = processStartTimeNs(static_cast<uint64_t>(getppid())).value();
    _exit(runBeganNs() == parent ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("host and command line are this process's") {
  CHECK_FALSE(hostName().empty());
  const std::vector<std::string> arguments = stringsFromJson(commandLineJson());
  REQUIRE_FALSE(arguments.empty());
  CHECK(arguments[0].find("test_report") != std::string::npos);
}

} // namespace
} // namespace commtap
