// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/process.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/base/json_text.h"
#include "report/base/timestamp.h"
#include "tests/unit/child.h"

namespace commtap {
namespace {

ProcessIdentity self() {
  const auto pid = static_cast<uint64_t>(getpid());
  return {pid, processStartTicks(pid).value(), bootId()};
}

TEST_CASE("mayBeRunning is true for this process") {
  CHECK(mayBeRunning(self()));
  CHECK_FALSE(bootId().empty());
}

TEST_CASE("mayBeRunning is false for another start time of the same pid") {
  ProcessIdentity other = self();
  other.start_ticks -= 1;
  CHECK_FALSE(mayBeRunning(other));
}

TEST_CASE("mayBeRunning is true for a process of another machine, boot or pid namespace") {
  ProcessIdentity other = self();
  other.start_ticks -= 1;
  other.boot_id = "elsewhere";
  CHECK(mayBeRunning(other));
}

TEST_CASE("mayBeRunning is false for an ended process, before and after its wait") {
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

TEST_CASE("the start time of this process is in the recent past") {
  const uint64_t started = processStartTimeNs(static_cast<uint64_t>(getpid())).value();
  CHECK(started < wallClockNs());
  CHECK(started + 3600 * kNsPerSecond > wallClockNs());
}

TEST_CASE("without preloaded ancestors a run began with its process, so that two commands of a shell are two runs") {
  usleep(100'000); // the child's start is another clock tick
  checkInChild([] {
    constexpr uint64_t kJitterNs = 5'000'000; // of two readings of two clocks
    const uint64_t own = processStartTimeNs(static_cast<uint64_t>(getpid())).value();
    const uint64_t began = runBeganNs();
    return began < own + kJitterNs && own < began + kJitterNs;
  });
}

TEST_CASE("a variable is found in the environment that a process was started with") {
  using namespace std::string_literals;
  const std::string environment = "A=1\0LD_PRELOAD=/x/libcommtap.so\0EMPTY=\0XA=2\0"s;
  CHECK(initialVariable(environment, "A") == "1");
  CHECK(initialVariable(environment, "EMPTY") == "");
  CHECK(initialVariable(environment, "XA") == "2");
  CHECK_FALSE(initialVariable(environment, "PRELOAD"));
  CHECK_FALSE(initialVariable("", "A"));
  CHECK(isPreloaded(environment));
  CHECK_FALSE(isPreloaded("LD_PRELOAD=/x/libother.so"));
}

TEST_CASE("the host name and command line are those of this process") {
  CHECK_FALSE(hostName().empty());
  const std::vector<std::string> arguments = stringsFromJson(commandLineJson());
  REQUIRE_FALSE(arguments.empty());
  CHECK(arguments[0].find("test_report") != std::string::npos);
}

TEST_CASE("an interpreter with other arguments keeps its name and hides their secrets") {
  const std::vector<std::string> arguments = stringsFromJson(commandLineJson({"train.py", "--api-key", "abcdef"}));
  REQUIRE(arguments.size() == 4);
  CHECK(arguments[0].find("test_report") != std::string::npos);
  CHECK(arguments[1] == "train.py");
  CHECK(arguments[3] == "(redacted)");
  CHECK(stringsFromJson(commandLineJson({})).size() == 1);
  CHECK(stringsFromJson(commandLineJson({"x", "", ""})).size() == 2); // as behind a process title
}

TEST_CASE("without a limit the address space is not known to end") {
  checkInChild([] {
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &none) != 0 || !addressSpaceLeft();
  });
}

TEST_CASE("what is mapped is taken from the limit, whether it is used or not") {
  checkInChild([] {
    constexpr uint64_t kLimit = 1ULL << 60U; // far above what a sanitizer maps
    constexpr uint64_t kMapped = 1ULL << 30U;
    const rlimit limit{kLimit, kLimit};
    setrlimit(RLIMIT_AS, &limit);
    const uint64_t before = addressSpaceLeft().value_or(0);
    mmap(nullptr, kMapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return before > 0 && before < kLimit && addressSpaceLeft() == before - kMapped;
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they end a process that finds no memory
TEST_CASE("nothing is left beyond the limit") {
  checkInChild([] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_AS, &limit);
    return addressSpaceLeft() == 0U;
  });
}
#endif

} // namespace
} // namespace commtap
