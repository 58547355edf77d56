// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/job_processes.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

struct FakeProcess {
  int pid;
  int parent;
  std::string environment = "HOME=/root";
  std::string maps = "7f0000 r-xp 00 /x/lib/libtorch_cpu.so\n";
};

void add(const TempFolder& proc, const FakeProcess& process) {
  const std::string folder = proc / std::to_string(process.pid);
  const std::string fields = " 1 1 0 -1 4 5 6 7 8 9 10 11 12 13 20 0 1 ";
  std::filesystem::create_directories(folder);
  writeText(
      folder + "/stat",
      std::to_string(process.pid) + " (a name) S " + std::to_string(process.parent) + fields + "4242 0\n");
  std::string variables = process.environment + " ";
  variables.back() = '\0';
  writeText(folder + "/environ", variables);
  writeText(folder + "/maps", process.maps);
  writeText(folder + "/cmdline", std::string("python\0train.py\0", 16));
}

TEST_CASE("a descendant that has torch and not commtap for longer than a moment is missed, once") {
  const TempFolder proc;
  writeText(proc / "meminfo", "");
  add(proc, {.pid = 10, .parent = 1});
  add(proc, {.pid = 11, .parent = 10});
  add(proc, {.pid = 12, .parent = 11});
  MissedProcesses missed(10, proc.path());
  missed.look(5 * kSecond);
  CHECK(missed.found().empty());
  missed.look(5 * kSecond + kSecond / 2);
  CHECK(missed.found().empty());
  add(proc, {.pid = 12, .parent = 11, .maps = "7f0000 r-xp 00 /bin/sh\n"}); // it has executed another program
  missed.look(6 * kSecond);
  missed.look(9 * kSecond);
  CHECK(missed.found() == std::vector<std::string>{"pid 11, python train.py"});
}

TEST_CASE("what is counted, has no torch or is of another job is not missed") {
  const TempFolder proc;
  const std::string torch = "7f0000 r-xp 00 /x/lib/libtorch_cpu.so\n";
  add(proc, {.pid = 11, .parent = 10, .environment = "LD_PRELOAD=/o.so:/x/libcommtap.so"});
  add(proc, {.pid = 12, .parent = 10, .maps = torch + "7f0000 r-xp 00 /x/libcommtap.so\n"}); // it wrote over environ
  add(proc, {.pid = 14, .parent = 10, .maps = "7f0000 r-xp 00 /bin/sh\n"});
  add(proc, {.pid = 15, .parent = 1});
  add(proc, {.pid = 16, .parent = 17}); // a loop, as of pids that were reused
  add(proc, {.pid = 17, .parent = 16});
  MissedProcesses missed(10, proc.path());
  for (uint64_t second = 1; second < 9; ++second) {
    missed.look(second * kSecond);
  }
  CHECK(missed.found().empty());
}

TEST_CASE("the processes of a run are those that were started with its id and commtap") {
  const TempFolder proc;
  const std::string preload = std::string("LD_PRELOAD=/x/libcommtap.so") + '\0';
  add(proc, {.pid = 21, .parent = 1, .environment = preload + "COMMTAP_RUN_ID=r1"});
  add(proc, {.pid = 22, .parent = 1, .environment = preload + "COMMTAP_RUN_ID=r2"});
  add(proc, {.pid = 23, .parent = 1, .environment = "COMMTAP_RUN_ID=r1"});
  CHECK(processesOfRun("r1", proc.path()) == std::vector<uint64_t>{21});
}

} // namespace
} // namespace commtap
