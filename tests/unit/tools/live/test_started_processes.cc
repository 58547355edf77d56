// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/started_processes.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

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

TEST_CASE("the processes that are to write to a folder are its ranks, then their launcher") {
  const TempFolder proc;
  add(proc, {.pid = "41", .name = "torchrun", .variables = {"COMMTAP_OUT=/data/out"}});
  add(proc, {.pid = "52", .variables = {"COMMTAP_OUT=/data/out/%j/r%r", "COMMTAP_RUN_ID=night", "RANK=1"}});
  add(proc, {.pid = "43", .variables = {"COMMTAP_OUT=../../data/out", "RANK=0"}});
  const std::vector<StartedProcess> found = processesWritingTo("/data/out", proc.path());
  REQUIRE(found.size() == 3);
  CHECK(
      startedText(found, "out") ==
      "nothing in out yet from rank 0 (python, pid 43), rank 1 (python, pid 52), torchrun (pid 41): a rank writes once "
      "it has joined a process group, so it may wait in the rendezvous");
  CHECK(processesWritingTo("/data/out/night", proc.path()).size() == 1);
}

TEST_CASE("other processes are not named") {
  const TempFolder proc;
  add(proc, {.pid = "1", .variables = {"COMMTAP_OUT=/data/output"}});
  add(proc, {.pid = "2", .variables = {"COMMTAP_OUT=/data"}});
  add(proc, {.pid = "3", .variables = {"COMMTAP_OUT=/data/out", "COMMTAP=0"}});
  add(proc, {.pid = "4", .variables = {"COMMTAP_OUT=/data/out"}, .maps = "7f00-7f01 r-xp 0 08:01 12 /lib/libc.so.6\n"});
  add(proc, {.pid = "self", .variables = {"COMMTAP_OUT=/data/out"}});
  writeText(std::filesystem::path(proc / "5"), "no folder");
  CHECK(processesWritingTo("/data/out", proc.path()).empty());
  CHECK(startedText({}, "out").empty());
  CHECK(processesWritingTo("/data/out", proc / "none").empty());
}

TEST_CASE("without COMMTAP_OUT a process writes to commtap-out in its working directory") {
  const TempFolder proc;
  add(proc, {.pid = "7"});
  CHECK(processesWritingTo("/home/me/commtap-out", proc.path()).size() == 1);
}

TEST_CASE("of many processes the first are named") {
  const std::string text =
      startedText(std::vector<StartedProcess>(11, {.pid = 9, .rank = "0", .name = "python"}), "out");
  CHECK(has(text, "(python, pid 9), 3 more: a rank"));
}

} // namespace
} // namespace commtap
