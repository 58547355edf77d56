// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "tests/unit/programs.h"
#include "tools/cli/run_note.h"
#include "tools/cli/verb.h"

namespace commtap {
namespace {

TEST_CASE("run's flags end where the command starts") {
  SplitArguments split = splitArguments(runVerb(), {"--out", "o", "--", "torchrun", "--out", "x", "--", "y"});
  CHECK(split.own == Words{"--out", "o"});
  CHECK(split.command == Words{"torchrun", "--out", "x", "--", "y"});
  split = splitArguments(runVerb(), {"--out=o", "torchrun", "--log", "x"});
  CHECK(split.own == Words{"--out=o"});
  CHECK(split.command == Words{"torchrun", "--log", "x"});
  split = splitArguments(runVerb(), {"--help"});
  CHECK(split.own == Words{"--help"});
  CHECK(split.command.empty());
  split = splitArguments(runVerb(), {"--out"});
  CHECK(split.own == Words{"--out"});
  CHECK(splitArguments(runVerb(), {"--"}).command.empty());
}

TEST_CASE("run passes arguments, environment and streams to the command") {
  const Installation commtap;
  const Outcome outcome = runProgram(
      {commtap.exe(),
       "run",
       "--out",
       commtap.out(),
       "--run-id",
       "r1",
       "--",
       "/bin/sh",
       "-c",
       "echo \"$1|$LD_PRELOAD|$COMMTAP_OUT|$COMMTAP_RUN_ID|$A\"",
       "sh",
       "a  b"},
      {"A=1", "LD_PRELOAD=" + std::string(COMMTAP_STUB)});
  CHECK(outcome.status() == 0);
  CHECK(outcome.out == "a  b|" COMMTAP_STUB ":" + commtap.preloaded() + "|" + commtap.out() + "|r1|1\n");
}

TEST_CASE("run inside run preloads the library once") {
  const Installation commtap;
  const Outcome outcome = commtap.run(commtap.exe() + " run --out " + commtap.out() + " sh -c 'echo $LD_PRELOAD'");
  CHECK(outcome.out == commtap.preloaded() + "\n");
}

TEST_CASE("run ends with a summary of its own reports") {
  const Installation commtap;
  REQUIRE(commtap.run(commtap.makeReport(3)).status() == 0);
  const Outcome outcome = commtap.run(commtap.makeReport(0) + commtap.makeReport(1) + "exit 5");
  CHECK(outcome.status() == 5);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("\n2 of 4 ranks: 0-1\nno report of ranks 2-3\n1 other run") != std::string::npos);
  CHECK(outcome.err.find("all_gather  default_pg") != std::string::npos);
  CHECK(has(outcome.err, "reports: " + commtap.out() + "; next:\n  commtap show " + commtap.out() + " --run "));
}

TEST_CASE("run without --out has a folder of its own, and names it") {
  const Installation commtap;
  const TempFolder folder;
  for (const char* run_id : {"first", "second"}) {
    const Outcome outcome = runProgram(
        {commtap.exe(), "run", "--run-id", run_id, "--", "/bin/sh", "-c", "echo $COMMTAP_OUT"}, {}, folder.path());
    CHECK(outcome.out == folder / "commtap-out/%j\n");
    CHECK(has(outcome.err, "no report was written to " + (folder / "commtap-out/") + run_id + ": "));
  }
}

/// Between the start of the command and that of a process, earlier or later.
constexpr uint64_t kLaterNs = 3600 * kNsPerSecond;

TEST_CASE("run sums up the run that it started, not an earlier one of its name") {
  const Installation commtap;
  const std::string report = commtap.makeReport(0);
  REQUIRE(has(commtap.run(report, {"COMMTAP_RUN_ID=r1"}).err, "run r1, started"));
  Report earlier = sampleReport(0);
  earlier.job.run_id = "r1";
  earlier.job.started_at_ns = wallClockNs() - kLaterNs;
  writeText(commtap.out() + "/rank-00000.json", reportToJson(earlier));
  CHECK(has(commtap.run("true", {"COMMTAP_RUN_ID=r1"}).err, "no report was written to " + commtap.out()));
  const std::string later = report + "cd " + commtap.out() + "; mkdir r1.run-2; sed s/r1/r1.run-2/ rank-00000.json > " +
                            "r1.run-2/rank-00000.json; rm rank-00000.json";
  CHECK(has(commtap.run(later, {"COMMTAP_RUN_ID=r1"}).err, "run r1.run-2, started"));
}

TEST_CASE("run converts the ledgers of killed processes") {
  const Installation commtap;
  {
    const auto ledger = sampleLedger(1);
    ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
    ledger->header().run_id = ledger->intern("r1");
    ledger->header().started_at_ns = wallClockNs() + kLaterNs;
    REQUIRE(ledger->publish(commtap.out() + "/x.ledger"));
  }
  const Outcome outcome = commtap.run("true", {"COMMTAP_RUN_ID=r1"});
  CHECK(namesIn(commtap.out()) == Words{"rank-00001.json"});
  CHECK(outcome.err.find("rank 1: crashed or killed") != std::string::npos);
}

TEST_CASE("run without a report says so in one line, even if the folder does not exist") {
  const Installation commtap;
  const Outcome outcome = runProgram({commtap.exe(), "run", "--out", commtap.out() + "/none/%h", "true"});
  CHECK(outcome.status() == 0);
  CHECK(outcome.err.find("commtap: no report was written to " + commtap.out() + "/none: ") == 0);
  CHECK(commtap.run("true", {"COMMTAP_LOG=off"}).err.empty());
}

TEST_CASE("run reads no file outside of the reports' folder") {
  const Installation commtap;
  const TempFolder folder;
  writeText(folder / "stranger.json", "{");
  const Outcome outcome = runProgram({commtap.exe(), "run", "--out", "p-%r", "true"}, {}, folder.path());
  CHECK(outcome.status() == 0);
  CHECK_FALSE(has(outcome.err, "stranger"));
  CHECK(has(outcome.err, "no report was written to " + (folder / "commtap-out") + ": "));
}

TEST_CASE("run finds the reports that went to TMPDIR, and names no other place") {
  const Installation commtap;
  const TempFolder folder;
  const std::string fallback = folder / ("commtap-" + std::to_string(getuid()));
  std::filesystem::create_directory(fallback);
  Report report = sampleReport(0);
  report.job.run_id = "r1";
  report.job.started_at_ns = wallClockNs() + kLaterNs;
  writeText(fallback + "/rank-00000.json", reportToJson(report));
  const Words command = {commtap.exe(), "run", "--out", "/proc/nope", "--run-id", "r1", "true"};
  const Outcome outcome = runProgram(command, {"TMPDIR=" + folder.path()});
  CHECK(has(outcome.err, "reports: " + fallback + "; next:\n  commtap show " + fallback + "  #"));
  CHECK_FALSE(has(outcome.err, "/proc/nope"));
}

TEST_CASE("run notes a command that failed and of which no report says so, for list, and no other") {
  const Installation commtap;
  const Outcome failed = commtap.run("exit 3", {"COMMTAP_RUN_ID=r1"});
  CHECK(failed.status() == 3);
  REQUIRE(runNotes(commtap.out()).size() == 1);
  CHECK(runNotes(commtap.out())[0].exit_status == 3);
  CHECK(has(runCommtap({"list", commtap.out()}).out, "  failed  "));
  commtap.run("kill -9 $$", {"COMMTAP_RUN_ID=r2"});
  CHECK(runNotes(commtap.out())[0].exit_signal == 9);
  commtap.run("true");
  CHECK(runNotes(commtap.out()).size() == 2);
  commtap.run(commtap.makeReport(0) + "exit 1"); // its rank exited with 0
  REQUIRE(runNotes(commtap.out()).size() == 3);
  CHECK(runNotes(commtap.out())[0].has_report);
  CHECK(runNotes(commtap.out())[0].exit_status == 1);
}

TEST_CASE("run with COMMTAP=0 only runs the command") {
  const Outcome outcome = runCommtap({"run", "--", "sh", "-c", "echo $LD_PRELOAD; exit 3"}, {"COMMTAP=0"});
  CHECK(outcome.status() == 3);
  CHECK(outcome.out == "\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("run reports a command that cannot be started in one line, with the shell's status") {
  const Installation commtap;
  const Outcome none = runProgram({commtap.exe(), "run", "no-such-command"});
  CHECK(none.status() == 127);
  CHECK(none.err == "commtap: no-such-command cannot be started: No such file or directory\n");
  CHECK(runProgram({commtap.exe(), "run", "/etc/passwd"}).status() == 126);
}

TEST_CASE("run exits with 2 on wrong usage and runs nothing") {
  const Installation commtap;
  CHECK(runProgram({commtap.exe(), "run"}).status() == 2);
  CHECK(runProgram({commtap.exe(), "run", "--log", "loud", "echo"}).err.find("--log is \"loud\"") != std::string::npos);
  CHECK(runProgram({commtap.exe(), "run", "--nope", "echo"}).status() == 2);
}

} // namespace
} // namespace commtap
