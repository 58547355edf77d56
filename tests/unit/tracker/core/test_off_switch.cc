// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/off_switch.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

OffSwitch switchOf(const std::string& folder, int64_t rank) {
  return {folder, {hostName(), static_cast<uint64_t>(getpid()), rank, "loop", 0}};
}

/// Runs a rank that communicates, and then does `body`.
ChildResult runRank(const std::string& folder, int64_t rank, const std::function<void()>& body) {
  return runInChild([&] {
    setenv("RANK", std::to_string(rank).c_str(), 1);
    Options options;
    options.out = folder;
    options.run_id = "loop";
    if (ProcessLedger::start(options, "2.13.0+test")) {
      ProcessLedger::get().processGroupSeen(rank, 2);
      body();
    }
  });
}

void crash(const std::string& folder, int64_t rank, int signal) {
  runRank(folder, rank, [signal] { kill(getpid(), signal); });
}

TEST_CASE("a rank that crashes three times, one process after another, sets the switch for all ranks") {
  const TempFolder folder;
  crash(folder.path(), 0, SIGKILL);
  CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  crash(folder.path(), 0, SIGSEGV);
  CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  crash(folder.path(), 0, SIGSEGV);
  CHECK(switchOf(folder.path(), 1).reasonToStayOff().empty()); // it has not crashed
  const std::string reason = "3 processes of rank 0 crashed or were killed within 10 minutes, one after another";
  CHECK(switchOf(folder.path(), -1).reasonToStayOff() == reason); // a process without a rank knows all
  CHECK(switchOf(folder.path(), 0).reasonToStayOff() == reason);
  CHECK(switchOf(folder.path(), 1).reasonToStayOff() == reason);
}

/// Runs a rank that makes a collective, which ends in `state`, and is then killed.
void killAfterCall(const std::string& folder, LastState state) {
  runRank(folder, 0, [state] {
    LedgerWriter& ledger = ProcessLedger::ledger();
    countOne(ledger, {.group = ledger.addGroup("0", "", "gloo", 2, 0, {})}, 64);
    ledger.records<kLast>()[0].state = static_cast<uint32_t>(state);
    kill(getpid(), SIGKILL);
  });
}

TEST_CASE("a rank that is killed between its calls has not crashed, and one in a call has") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i) {
    killAfterCall(folder.path(), LastState::kReturned);
    CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
    killAfterCall(folder.path(), LastState::kIssued);
  }
  CHECK_FALSE(switchOf(folder.path(), 0).reasonToStayOff().empty());
}

TEST_CASE("processes that crash at the same time, and another run's, do not set the switch") {
  const TempFolder folder;
  for (int64_t rank = 0; rank < 4; ++rank) {
    crash(folder.path(), rank, SIGKILL);
  }
  CHECK(switchOf(folder.path(), -1).reasonToStayOff().empty());
  crash(folder.path(), 0, SIGKILL);
  crash(folder.path(), 0, SIGKILL);
  CHECK(OffSwitch(folder.path(), {hostName(), 1, 0, "another", 0}).reasonToStayOff().empty());
  CHECK_FALSE(switchOf(folder.path(), 0).reasonToStayOff().empty());
}

TEST_CASE("a process that ends in order ends the sequence of crashes") {
  const TempFolder folder;
  crash(folder.path(), 0, SIGSEGV);
  crash(folder.path(), 0, SIGSEGV);
  runRank(folder.path(), 0, [] { ProcessLedger::get().finish(ExitKind::kNormal, 0); });
  crash(folder.path(), 0, SIGSEGV);
  CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
}

/// Ends a rank that communicates as a launcher does, which sees a rank of another host fail.
void endByLauncher(const std::string& folder, int64_t rank, int signal) {
  runRank(folder, rank, [&] {
    const pid_t rank_pid = getpid();
    const pid_t launcher = fork();
    if (launcher == 0) {
      unsetenv("RANK");
      Options options;
      options.out = folder;
      options.run_id = "loop";
      ProcessLedger::start(options, "2.13.0+test");
      ProcessLedger::get().noteSignalTo(rank_pid, signal);
      kill(rank_pid, signal);
      _exit(0);
    }
    pause();
  });
}

TEST_CASE("a rank that its launcher ends has not crashed") {
  const TempFolder folder;
  for (const int signal : {SIGTERM, SIGKILL, SIGTERM, SIGTERM}) {
    endByLauncher(folder.path(), 0, signal);
    CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
    crash(folder.path(), 0, SIGSEGV);
  }
  CHECK_FALSE(switchOf(folder.path(), 0).reasonToStayOff().empty());
}

TEST_CASE("of the signals that a process sends to itself only those of a fault count") {
  const TempFolder folder;
  const auto endBy = [&folder](int signal) {
    runRank(folder.path(), 0, [signal] { ProcessLedger::get().finish(ExitKind::kSignal, signal); });
  };
  for (const int signal : {SIGINT, SIGTERM, SIGKILL, SIGUSR1}) {
    endBy(signal);
  }
  CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) {
    endBy(signal);
  }
  CHECK_FALSE(switchOf(folder.path(), 0).reasonToStayOff().empty());
}

TEST_CASE("the switch is this version's and this user's, and a user who empties it has the last word") {
  const TempFolder folder;
  const OffSwitch off = switchOf(folder.path(), 0);
  REQUIRE(off.set("a reason"));
  CHECK(off.reasonToStayOff() == "a reason");
  CHECK_FALSE(off.set("another"));
  const std::string text = readText(off.path());
  CHECK(has(text, "commtap " COMMTAP_VERSION " stays off in this run: a reason\n"));
  writeText(off.path(), "commtap 0.0.1 stays off in this run: a reason\n");
  CHECK(off.reasonToStayOff().empty());
  writeText(off.path(), text);
  if (chown(off.path().c_str(), 12345, static_cast<gid_t>(-1)) == 0) {
    CHECK(off.reasonToStayOff().empty());
  }
  writeText(off.path(), "");
  for (int i = 0; i < 3; ++i) {
    crash(folder.path(), 0, SIGSEGV);
  }
  CHECK(off.reasonToStayOff().empty());
}

TEST_CASE("an error inside commtap, put in on purpose, sets the switch for the next processes") {
  const TempFolder folder;
  const ChildResult child = runRank(folder.path(), 0, [] {
    catchAll("a test", [] { throw std::runtime_error("put in on purpose"); });
    catchAll("a test", [] { throw std::runtime_error("again"); });
    ProcessLedger::get().finish(ExitKind::kNormal, 0);
  });
  CHECK(child.status == 0);
  const OffSwitch off = switchOf(folder.path(), 1);
  CHECK(off.reasonToStayOff() == "an error inside commtap in a test (rank 0)");
  CHECK(has(child.said, "commtap stays off in the processes of this run that start from now on"));
  CHECK(has(child.said, off.path()));
  CHECK(child.said.find("stays off") == child.said.rfind("stays off")); // one line
  const Result<Report> report = reportFromJson(readText(folder / "rank-00000.json"));
  REQUIRE(report);
  REQUIRE(report->not_seen.size() == 1);
  CHECK(report->not_seen[0].reason == "internal_error");
  CHECK(report->not_seen[0].count == 2);
}

TEST_CASE("a lack of memory is no fault of commtap, and a process without output sets no switch") {
  const TempFolder folder;
  runRank(folder.path(), 0, [] { catchAll("a test", [] { throw std::bad_alloc(); }); });
  CHECK(switchOf(folder.path(), 0).reasonToStayOff().empty());
  runInChild([&] {
    Options options;
    options.out = folder / "none";
    ProcessLedger::start(options, "2.13.0+test");
    catchAll("a test", [] { throw std::runtime_error("put in on purpose"); });
  });
  CHECK(namesIn(folder.path()).size() == 1);
}

} // namespace
} // namespace commtap
