// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/process_state.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a process's state comes from /proc") {
  CHECK(processStateText(sampleOf(static_cast<uint64_t>(getpid()))) == "runs");
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, WUNTRACED) == child);
  CHECK(processStateText(sampleOf(static_cast<uint64_t>(child))) == "is stopped");
  kill(child, SIGKILL);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK(processStateText(sampleOf(static_cast<uint64_t>(child))) == "has ended");
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(processStateText(sampleOf(static_cast<uint64_t>(child))) == "has ended");
}

TEST_CASE("a sample has the ticks of child processes, also of one that has ended") {
  const uint64_t before = sampleOf(static_cast<uint64_t>(getpid()))->child_ticks;
  const pid_t child = fork();
  if (child == 0) {
    for (;;) {
      getppid(); // computes, in the kernel
    }
  }
  const auto sampleUntil = [](const auto& isEnough) {
    ProcessSample sample = *sampleOf(static_cast<uint64_t>(getpid()));
    while (!isEnough(sample)) {
      sample = *sampleOf(static_cast<uint64_t>(getpid()));
    }
    return sample;
  };
  const ProcessSample running =
      sampleUntil([before](const ProcessSample& sample) { return sample.child_ticks >= before + 5; });
  CHECK(running.child_runs);
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const ProcessSample ended = *sampleOf(static_cast<uint64_t>(getpid()));
  CHECK(ended.child_ticks >= running.child_ticks);
  CHECK_FALSE(ended.child_runs);
}

constexpr const char* kTorch = "7f00-7f01 r-xp 00000000 08:01 12 /venv/torch/lib/libtorch_cpu.so\n";

struct Made {
  std::string pid;
  std::string name = "python";
  std::vector<std::string> variables;
  std::string maps = kTorch;
};

void add(const TempFolder& proc, const Made& process) {
  const std::filesystem::path folder = proc / process.pid;
  std::filesystem::create_directories(folder);
  std::string environment = std::string("LD_PRELOAD=/lib/libcommtap.so") + '\0';
  for (const std::string& variable : process.variables) {
    environment += variable + '\0';
  }
  writeText(folder / "environ", environment);
  writeText(folder / "maps", process.maps);
  writeText(folder / "comm", process.name + "\n");
  std::filesystem::create_symlink("/home/me", folder / "cwd");
}

TEST_CASE("the processes that are to write to a folder are its ranks") {
  const TempFolder proc;
  add(proc, {.pid = "41", .name = "torchrun", .variables = {"COMMTAP_OUT=/data/out"}});
  add(proc, {.pid = "52", .variables = {"COMMTAP_OUT=/data/out/%j/r%r", "COMMTAP_RUN_ID=night", "RANK=10"}});
  add(proc, {.pid = "43", .variables = {"COMMTAP_OUT=../../data/out", "RANK=2"}, .maps = ""}); // imports torch later
  add(proc, {.pid = "44", .variables = {"COMMTAP_OUT=../../data/out", "RANK=2"}});             // a worker of the rank
  add(proc, {.pid = "45", .name = "trainer", .variables = {"COMMTAP_OUT=/data/out", "RANK=0"}});
  const std::vector<StartedProcess> found = processesWritingTo("/data/out", proc.path());
  CHECK(
      startedText(found) ==
      "rank 0 (trainer, pid 45), rank 2 (python, pid 43), rank 10 (python, pid 52) of the newest job have joined no "
      "process group: they start, or wait in the rendezvous");
  CHECK(
      startedText(processesWritingTo("/data/out/night", proc.path())) ==
      "rank 10 (python, pid 52) of the newest job has joined no process group: it starts, or waits in the rendezvous");
}

TEST_CASE("torchrun without ranks may wait for other hosts") {
  const TempFolder proc;
  add(proc, {.pid = "41", .name = "pt_elastic", .variables = {"COMMTAP_OUT=/data/out"}});
  CHECK(
      startedText(processesWritingTo("/data/out", proc.path())) ==
      "pt_elastic (pid 41) has started no rank here: it may wait for other hosts");
}

TEST_CASE("what is older than a time is of another job") {
  const auto pid = static_cast<uint64_t>(getpid());
  const uint64_t started_ns = processStartTimeNs(pid).value();
  constexpr uint64_t kClocksReadNs = 1'000'000'000; // a start time is read from two clocks, one after the other
  CHECK(startedAfter({{.pid = pid}}, started_ns - kClocksReadNs).size() == 1);
  CHECK(startedAfter({{.pid = pid}}, started_ns + kClocksReadNs).empty());
}

TEST_CASE("other processes are not named") {
  const TempFolder proc;
  add(proc, {.pid = "1", .variables = {"COMMTAP_OUT=/data/output"}});
  add(proc, {.pid = "2", .variables = {"COMMTAP_OUT=/data"}});
  add(proc, {.pid = "3", .variables = {"COMMTAP_OUT=/data/out", "COMMTAP=0"}});
  add(proc, {.pid = "4", .name = "bash", .variables = {"COMMTAP_OUT=/data/out", "RANK=0"}, .maps = "/lib/libc.so.6\n"});
  add(proc, {.pid = "6", .variables = {"COMMTAP_OUT=/data/out"}}); // a launcher in Python, or a job of one process
  add(proc, {.pid = "self", .variables = {"COMMTAP_OUT=/data/out"}});
  writeText(std::filesystem::path(proc / "5"), "no folder");
  CHECK(processesWritingTo("/data/out", proc.path()).empty());
  CHECK(processesWritingTo("/data/out", proc / "none").empty());
}

TEST_CASE("without COMMTAP_OUT a process writes to commtap-out in its working directory") {
  const TempFolder proc;
  add(proc, {.pid = "7", .variables = {"RANK=0"}});
  CHECK(processesWritingTo("/home/me/commtap-out", proc.path()).size() == 1);
}

TEST_CASE("of many processes the first are named") {
  const std::string text = startedText(std::vector<StartedProcess>(11, {.pid = 9, .rank = "0", .name = "python"}));
  CHECK(has(text, "(python, pid 9), 3 more of the newest job have joined no process group"));
}

} // namespace

} // namespace commtap
