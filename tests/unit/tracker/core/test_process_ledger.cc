// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/process_ledger.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Environment = std::map<std::string, std::string>;

void setLaunchEnvironment(const Environment& environment) {
  for (const char* name :
       {"RANK",
        "WORLD_SIZE",
        "LOCAL_RANK",
        "LOCAL_WORLD_SIZE",
        "TORCHELASTIC_ERROR_FILE",
        "TORCHELASTIC_RESTART_COUNT",
        "TORCHELASTIC_RUN_ID",
        "SLURM_JOB_ID",
        "SLURM_STEP_ID",
        "MASTER_ADDR",
        "MASTER_PORT",
        "COMMTAP_OUT",
        "TMPDIR"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
}

bool startLedger(const std::string& out) {
  Options options;
  options.out = out;
  return ProcessLedger::start(options, "2.13.0+test");
}

/// Runs `body` in a child whose ledger starts in this environment.
ChildResult
runProcess(const std::string& out, const Environment& environment, const std::function<void(ProcessLedger&)>& body) {
  return runInChild([&] {
    setLaunchEnvironment(environment);
    if (startLedger(out)) {
      body(ProcessLedger::get());
    }
  });
}

uint64_t addressSpaceUsed() {
  std::ifstream statm("/proc/self/statm");
  uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<uint64_t>(getpagesize());
}

Report reportIn(const std::string& path) {
  const Result<Report> report = reportFromJson(readText(path));
  REQUIRE(report);
  return *report;
}

LedgerContents ledgerIn(const std::string& path) {
  const Result<LedgerContents> contents = readLedgerFile(path);
  REQUIRE(contents);
  return *contents;
}

TEST_CASE("the launcher's environment names the process") {
  const TempFolder folder;
  const Environment environment{
      {"RANK", "3"},
      {"WORLD_SIZE", "8"},
      {"LOCAL_RANK", "1"},
      {"TORCHELASTIC_RESTART_COUNT", "2"},
      {"TORCHELASTIC_RUN_ID", "run7"}};
  const ChildResult child = runProcess(folder / "%j", environment, [](ProcessLedger& process) {
    process.setPythonVersion("3.11.2");
    process.processGroupSeen(-1, -1);
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(child.said.empty());
  const Job job = reportIn(folder / "run7/attempt-2/rank-00003.json").job;
  CHECK(job.rank == 3);
  CHECK(job.world_size == 8);
  CHECK(job.local_rank == 1);
  CHECK(job.attempt == 2);
  CHECK(job.run_id == "run7");
  CHECK(job.torch_version == "2.13.0+test");
  CHECK(job.python_version == "3.11.2");
  CHECK(job.host == hostName());
  CHECK(job.exit == ExitKind::kNormal);
  CHECK(job.ended_at_ns >= job.started_at_ns);
}

TEST_CASE("a variable that is not a number >= 0 is as if it were not set") {
  for (const char* rank : {"", "x", "-3", "3x", "99999999999999999999"}) {
    const TempFolder folder;
    runProcess(folder.path(), {{"RANK", rank}, {"WORLD_SIZE", rank}}, [](ProcessLedger& process) {
      process.processGroupSeen(-1, -1);
      process.finish(ExitKind::kNormal, 0);
    });
    CAPTURE(rank);
    REQUIRE(namesIn(folder.path()).size() == 1);
    const Job job = reportIn(folder / namesIn(folder.path())[0]).job;
    CHECK_FALSE(job.rank);
    CHECK_FALSE(job.world_size);
  }
}

TEST_CASE("the run id of the option comes before the launcher's") {
  const ChildResult child = runInChild([] {
    setLaunchEnvironment({{"TORCHELASTIC_RUN_ID", "elastic"}});
    Options options;
    options.run_id = "mine";
    ProcessLedger::start(options, "2.13.0+test");
    sayLine(std::string(ProcessLedger::ledger().text(ProcessLedger::ledger().header().run_id)));
  });
  CHECK(child.said == "mine\n");
}

TEST_CASE("a process without a process group leaves no file") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder / "out", {}, [](ProcessLedger& process) {
    sayLine(process.hasOutput() ? "output" : "no output");
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(child.said == "no output\n");
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("the ledger is a file from the first process group on, and the report replaces it at the end") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder / "out", {{"RANK", "5"}}, [&](ProcessLedger& process) {
    errno = 77;
    process.processGroupSeen(1, 2);
    sayLine("errno " + std::to_string(errno));
    sayLine(process.hasOutput() ? "output" : "no output");
    process.processGroupSeen(0, 9); // a later group changes nothing
    const LedgerContents running = ledgerIn(ProcessLedger::ledger().path());
    sayLine(running.report_name + (running.report.job.exit == ExitKind::kRunning ? " running" : " ended"));
    errno = 77;
    process.finish(ExitKind::kNormal, 0);
    sayLine("errno " + std::to_string(errno));
  });
  CHECK(child.said == "errno 77\noutput\nrank-00001 running\nerrno 77\n");
  CHECK(namesIn(folder / "out") == std::vector<std::string>{"rank-00001.json"});
  const Job job = reportIn(folder / "out/rank-00001.json").job;
  CHECK(job.rank == 1); // the group's rank, not the launcher's
  CHECK(job.world_size == 2);
}

TEST_CASE("the exit status is the one that the parent gets") {
  for (const auto& [passed, got] : {std::pair{0, 0}, {1, 1}, {255, 255}, {256, 0}, {-1, 255}}) {
    CAPTURE(passed);
    const TempFolder folder;
    runProcess(folder.path(), {{"RANK", "0"}}, [passed = passed](ProcessLedger& process) {
      process.processGroupSeen(0, 1);
      process.finish(ExitKind::kNormal, passed);
    });
    const Job job = reportIn(folder / "rank-00000.json").job;
    CHECK(job.exit == ExitKind::kNormal);
    CHECK(job.exit_status == got);
    CHECK_FALSE(job.exit_signal);
  }
}

TEST_CASE("a process whose ledger was truncated ends in order, and one line says that there is no report") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder / "out", {{"RANK", "0"}}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    sayLine(truncate(ProcessLedger::ledger().path().c_str(), 0) == 0 ? "truncated" : "whole");
    process.setPythonVersion("3.11.2");
    process.finish(ExitKind::kNormal, 0);
    process.finish(ExitKind::kNormal, 0);
    sayLine("ended");
  });
  CHECK(child.status == 0);
  CHECK(namesIn(folder / "out").empty());
  const std::string line = "another program has truncated " + (folder / "out/rank-00000.");
  CHECK(child.said.find(line) != std::string::npos);
  CHECK(child.said.find(line) == child.said.rfind("another program"));
  CHECK(child.said.ends_with("\nended\n"));
}

TEST_CASE("only the first end of a process counts") {
  const TempFolder folder;
  runProcess(folder.path(), {{"RANK", "0"}}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    process.finish(ExitKind::kNormal, 0);
    process.finish(ExitKind::kSignal, SIGABRT);
  });
  CHECK(reportIn(folder / "rank-00000.json").job.exit == ExitKind::kNormal);
}

TEST_CASE("a process that ends where it must not make JSON leaves the marked ledger") {
  const TempFolder folder;
  runProcess(folder.path(), {{"RANK", "0"}}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    process.finish(ExitKind::kSignal, SIGABRT);
  });
  runProcess(folder.path(), {{"RANK", "1"}}, [](ProcessLedger& process) {
    process.processGroupSeen(1, 2);
    sigset_t handled; // as in a handler of this signal
    sigemptyset(&handled);
    sigaddset(&handled, SIGTERM);
    sigprocmask(SIG_BLOCK, &handled, nullptr);
    process.finish(ExitKind::kUnderscoreExit, 4);
  });
  std::map<std::string, Job> jobs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) { // the second process is a run of its own if it starts late
      const LedgerContents contents = ledgerIn(entry.path());
      jobs[contents.report_name] = contents.report.job;
    }
  }
  REQUIRE(jobs.size() == 2);
  CHECK(jobs["rank-00000"].exit == ExitKind::kSignal);
  CHECK(jobs["rank-00000"].exit_signal == SIGABRT);
  CHECK_FALSE(jobs["rank-00000"].exit_status);
  CHECK(jobs["rank-00001"].exit == ExitKind::kUnderscoreExit);
  CHECK(jobs["rank-00001"].exit_status == 4);
  CHECK_FALSE(jobs["rank-00001"].exit_signal);
  CHECK(jobs["rank-00001"].ended_at_ns);
}

TEST_CASE("a process that keeps its ledger in memory leaves no file; once there is output it cannot") {
  const TempFolder folder;
  const ChildResult kept = runProcess(folder.path(), {}, [](ProcessLedger& process) {
    sayLine(process.keepInMemory() ? "kept" : "refused");
    process.processGroupSeen(0, 1);
    sayLine(process.keepInMemory() ? "kept" : "refused");
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(kept.said == "kept\nkept\n");
  CHECK(namesIn(folder.path()).empty());
  const ChildResult late = runProcess(folder.path(), {}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    sayLine(process.keepInMemory() ? "kept" : "refused");
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(late.said == "refused\n");
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json"});
}

TEST_CASE("a folder that cannot be written: a line says where the report goes instead") {
  const TempFolder folder;
  writeText(folder / "file", "");
  const Environment environment{{"TMPDIR", folder.path()}};
  const ChildResult child = runProcess(folder / "file/out", environment, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    process.finish(ExitKind::kNormal, 0);
  });
  const std::string fallback = folder / ("commtap-" + std::to_string(getuid()));
  CHECK(child.status == 0);
  CHECK(child.said.find("[commtap pid ") == 0);
  CHECK(child.said.find("COMMTAP_OUT: ") != std::string::npos);
  CHECK(child.said.find("the report goes to " + fallback + " instead; set COMMTAP_OUT") != std::string::npos);
  CHECK(namesIn(fallback) == std::vector<std::string>{"rank-00000.json"});
}

TEST_CASE("no folder can be written: the report stays in memory and is tried again at the end") {
  const TempFolder folder;
  writeText(folder / "out", "");
  const Environment environment{{"TMPDIR", folder / "out"}};
  const ChildResult child = runProcess(folder / "out", environment, [&](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    sayLine(ProcessLedger::ledger().published() ? "a file" : "in memory");
    unlink((folder / "out").c_str());
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(child.status == 0);
  CHECK(child.said.find("the report is kept in memory and tried again at exit") != std::string::npos);
  CHECK(child.said.find("in memory\n") != std::string::npos);
  CHECK(reportIn(folder / "out/rank-00000.json").job.exit == ExitKind::kNormal);
}

TEST_CASE("a process that changes its root folder leaves its ledger outside, and no report inside") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder / "out", {{"RANK", "0"}}, [&](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    if (chroot(folder.path().c_str()) != 0 || chdir("/") != 0) {
      sayLine("refused");
    }
    process.finish(ExitKind::kNormal, 0);
  });
  if (child.said == "refused\n") {
    MESSAGE("not run: this user may not change the root folder");
    return;
  }
  CHECK(child.said.find("has changed its root folder: its numbers stay in " + (folder / "out/")) != std::string::npos);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"out"});
  REQUIRE(namesIn(folder / "out").size() == 1);
  const LedgerContents contents = ledgerIn(folder / "out/" + namesIn(folder / "out")[0]);
  CHECK(contents.damage.empty());
  CHECK(contents.report.job.exit == ExitKind::kNormal);
}

TEST_CASE("a limit of the address space makes the ledger small") {
  for (const bool limited : {true, false}) {
    const TempFolder folder;
    const ChildResult child = runInChild([&] {
      setLaunchEnvironment({});
      const rlimit limit{limited ? addressSpaceUsed() + (256U << 20U) : RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_AS, &limit);
      const uint64_t before = addressSpaceUsed();
      startLedger(folder.path());
      const uint64_t taken = (addressSpaceUsed() - before) >> 20U;
      ProcessLedger::get().processGroupSeen(0, 1);
      sayLine(ProcessLedger::ledger().published() ? "published" : "in memory");
      sayLine(taken < 12 ? "small" : "full");
      ProcessLedger::get().finish(ExitKind::kNormal, 0);
    });
    CHECK(child.said == (limited ? "published\nsmall\n" : "published\nfull\n"));
    CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json"});
  }
}

TEST_CASE("a relative folder is below the folder in which the process started") {
  const TempFolder folder;
  const ChildResult child = runInChild([&] {
    setLaunchEnvironment({});
    if (chdir(folder.path().c_str()) == 0 && startLedger("relative") && chdir("/") == 0) {
      ProcessLedger::get().processGroupSeen(0, 1);
      ProcessLedger::get().finish(ExitKind::kNormal, 0);
    }
  });
  CHECK(child.status == 0);
  CHECK(namesIn(folder / "relative") == std::vector<std::string>{"rank-00000.json"});
}

TEST_CASE("a ledger that an earlier process of the same pid left is not overwritten") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder.path(), {}, [&](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    const std::string first = ProcessLedger::ledger().path();
    startLedger(folder.path());
    ProcessLedger::get().processGroupSeen(0, 1);
    sayLine(ProcessLedger::ledger().path() == first + ".1.ledger" ? "another name" : ProcessLedger::ledger().path());
    sayLine(ProcessLedger::ledger().published() ? "a file" : "in memory");
  });
  CHECK(child.said == "another name\na file\n");
}

TEST_CASE("the child of a fork is a process of its own, and leaves its parent's files alone") {
  const TempFolder folder;
  const ChildResult child = runProcess(folder.path(), {{"RANK", "0"}}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 2);
    const pid_t forked = fork();
    if (forked == 0) {
      sayLine(process.isOfThisProcess() ? "this one's" : "the parent's"); // as in a child of vfork()
      process.resetInForkedChild();
      sayLine(process.isOfThisProcess() ? "this one's" : "the parent's");
      sayLine(process.hasOutput() ? "output" : "no output");
      process.processGroupSeen(1, 2);
      process.finish(ExitKind::kNormal, 0);
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(child.said == "the parent's\nthis one's\nno output\n");
  REQUIRE(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json", "rank-00001.json"});
  CHECK(reportIn(folder / "rank-00000.json").job.pid != reportIn(folder / "rank-00001.json").job.pid);
}

/// Returns the report of a rank that sets `changed` in the child of a fork, whose parent has started in `environment`.
Report reportOfForked(const TempFolder& folder, const Environment& environment, const Environment& changed) {
  runProcess(folder / "parent", environment, [&](ProcessLedger& process) {
    const pid_t forked = fork();
    if (forked == 0) {
      process.resetInForkedChild();
      for (const auto& [name, value] : changed) {
        setenv(name.c_str(), value.c_str(), 1);
      }
      process.setArguments({"train.py", "--token=abcdef"});
      process.processGroupSeen(-1, -1);
      process.finish(ExitKind::kNormal, 0);
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    process.setArguments({"not.py"});
    process.finish(ExitKind::kNormal, 0);
  });
  const bool has_own_folder = changed.contains("COMMTAP_OUT") && !changed.at("COMMTAP_OUT").empty();
  const std::string reports = folder / (has_own_folder ? "child" : "parent");
  const std::vector<std::string> names = namesIn(reports);
  REQUIRE(names.size() == 1);
  return reportIn(reports + "/" + names[0]);
}

TEST_CASE("the child of a fork that sets a place, a folder and arguments of its own has them in its report") {
  const TempFolder folder;
  const Environment changed{{"RANK", "5"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "8"}, {"COMMTAP_OUT", folder / "child"}};
  const Job job = reportOfForked(folder, {}, changed).job;
  CHECK(job.rank == 5);
  CHECK(job.local_rank == 1);
  CHECK(job.world_size == 8);
  REQUIRE(job.argv.size() == 3);
  CHECK(job.argv[0].find("test_") != std::string::npos);
  CHECK(job.argv[1] == "train.py");
  CHECK(job.argv[2].find("abcdef") == std::string::npos);
  CHECK(namesIn(folder / "child") == std::vector<std::string>{"rank-00005.json"});
}

TEST_CASE("what the child of a fork does not set, or sets to no number, stays its parent's") {
  const TempFolder folder;
  const Environment parent{{"RANK", "2"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "4"}};
  const Job job = reportOfForked(folder, parent, {{"RANK", "x"}, {"LOCAL_RANK", "-1"}, {"COMMTAP_OUT", ""}}).job;
  CHECK(job.rank == 2);
  CHECK(job.local_rank == 1);
  CHECK(job.world_size == 4);
}

TEST_CASE("the child of a fork stays in its parent's folder if the parent has set another one for other processes") {
  const TempFolder folder;
  runProcess(folder / "parent", {}, [&](ProcessLedger& process) {
    setenv("COMMTAP_OUT", (folder / "others").c_str(), 1);
    const pid_t forked = fork();
    if (forked == 0) {
      process.resetInForkedChild();
      process.processGroupSeen(-1, -1);
      process.finish(ExitKind::kNormal, 0);
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"parent"});
  CHECK(namesIn(folder / "parent").size() == 1);
}

TEST_CASE("the child of a fork keeps the rank that its parent's group has given it") {
  const TempFolder folder;
  runProcess(folder.path(), {{"RANK", "0"}, {"COMMTAP_OUT", "elsewhere"}}, [](ProcessLedger& process) {
    process.processGroupSeen(3, 4);
    const pid_t forked = fork();
    if (forked == 0) {
      process.resetInForkedChild();
      setenv("LOCAL_RANK", "1", 1);
      process.processGroupSeen(-1, -1);
      setenv("RANK", "7", 1); // too late
      process.processGroupSeen(-1, -1);
      process.finish(ExitKind::kNormal, 0);
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    process.finish(ExitKind::kNormal, 0);
  });
  const std::vector<std::string> names = namesIn(folder.path());
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    CHECK(reportIn(folder / name).job.rank == 3);
  }
}

TEST_CASE("the child of a fork that makes no group leaves no file") {
  const TempFolder folder;
  runProcess(folder.path(), {{"RANK", "0"}}, [](ProcessLedger& process) {
    process.processGroupSeen(0, 1);
    const pid_t forked = fork();
    if (forked == 0) {
      process.resetInForkedChild();
      process.finish(ExitKind::kNormal, 0);
      _exit(0);
    }
    waitpid(forked, nullptr, 0);
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json"});
}

TEST_CASE("a launcher without a group converts the ledgers of its dead ranks") {
  const TempFolder folder;
  runProcess(folder.path(), {{"TORCHELASTIC_RUN_ID", "job"}}, [&](ProcessLedger& process) {
    const pid_t rank = fork();
    if (rank == 0) {
      setenv("RANK", "0", 1);
      startLedger(folder.path());
      ProcessLedger::get().processGroupSeen(0, 1);
      _exit(0); // without finish(), as after SIGKILL
    }
    waitpid(rank, nullptr, 0);
    process.finish(ExitKind::kNormal, 0);
  });
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json"});
  CHECK(reportIn(folder / "rank-00000.json").job.exit == ExitKind::kKilled);
}

} // namespace
} // namespace commtap
