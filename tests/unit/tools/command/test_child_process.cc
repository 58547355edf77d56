// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using namespace std::chrono_literals;

Environment shellEnvironment() {
  const char* const variables[] = {"PATH=/usr/bin:/bin", "A=1", nullptr};
  return Environment(variables);
}

TEST_CASE("runChild returns both streams and the status") {
  const ChildOutcome good =
      runChild({"sh", "-c", "echo out $A; echo err >&2; read x || echo eof"}, shellEnvironment(), 60s);
  CHECK(good.succeeded());
  CHECK(good.out == "out 1\neof\n");
  CHECK(good.err == "err\n");
  const ChildOutcome bad = runChild({"sh", "-c", "exit 3"}, shellEnvironment(), 60s);
  CHECK_FALSE(bad.succeeded());
  CHECK(WEXITSTATUS(bad.wait_status) == 3);
}

TEST_CASE("runChild ends a command that takes too long, with its children") {
  const ChildOutcome outcome = runChild({"sh", "-c", "sleep 100 & echo $!; wait"}, shellEnvironment(), 300ms);
  CHECK(outcome.timed_out);
  CHECK_FALSE(outcome.succeeded());
  const std::string pid = outcome.out.substr(0, outcome.out.find('\n'));
  REQUIRE_FALSE(pid.empty());
  const auto is_running = [&pid] {
    std::ifstream file("/proc/" + pid + "/stat");
    const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return !stat.empty() && !has(stat, ") Z "); // a zombie until init collects it
  };
  for (int i = 0; i < 1000 && is_running(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  CHECK_FALSE(is_running());
}

TEST_CASE("a command that cannot be started has the system's reason") {
  const ChildOutcome outcome = runChild({"/nowhere/python"}, shellEnvironment(), 60s);
  CHECK(WEXITSTATUS(outcome.wait_status) == 127);
  CHECK(outcome.err == "No such file or directory");
}

TEST_CASE("lastLine is the message of a traceback") {
  CHECK(lastLine("Traceback:\n  x\nImportError: libgomp\n\n") == "ImportError: libgomp");
  CHECK(lastLine("one") == "one");
  CHECK(lastLine(" \n\n").empty());
  CHECK(lastLine("").empty());
}

} // namespace
} // namespace commtap
