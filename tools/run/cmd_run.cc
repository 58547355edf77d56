// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "report/base/process.h"
#include "report/base/redaction.h"
#include "report/merge/job_reader.h"
#include "report/merge/work_ends.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/output.h"
#include "report/runs/report_scan.h"
#include "report/runs/run_folder.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/run/job_processes.h"
#include "tools/run/launch.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"
#include "tools/run/run_summary.h"
#include "tools/text/table.h"
#include "tools/verify/verified_run.h"
#include "tools/why/job_verdict.h"

namespace commtap {
namespace {

constexpr const char* kRunAbout =
    "The command runs in the process group of commtap run, on the same terminal. With COMMTAP=0 in the environment,\n"
    "runs the command without commtap. Each run gets a new run id; the tasks of a Slurm step share one. To start\n"
    "one run by hand on several machines, give the same --run-id on each.";
constexpr const char* kRunExitStatus =
    "that of the command, or the signal that killed it; 127 the command does not exist; 126 it cannot\n"
    "be started; 2 wrong usage of commtap run.";

constexpr const char* kTokenFile = "--token-file";

struct ServeFlags {
  std::string listen; ///< "": no server
  std::string token_file;
};

/// Returns the folder that the command's processes wrote reports to, if any did.
std::string reportsFolder(const RunSetup& setup) {
  std::string folder = commonFolder(setup.options.out, setup.options.run_id);
  std::string fallback = fallbackFolder(setup.environment);
  std::error_code error;
  const bool is_writable = std::filesystem::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
  const bool is_fallback = !is_writable && access(fallback.c_str(), F_OK) == 0;
  return is_fallback ? fallback : folder;
}

/// Merges the newest run of this name: the command's, if it began after `began_ns`. Its id has a number if the folder
/// has an earlier run of that name, see RunFolder. `has_succeeded`: the command ended with status 0.
Result<JobReport> readRun(
    const std::string& folder,
    const std::string& name,
    uint64_t began_ns,
    bool has_succeeded,
    const Progress& progress) {
  const Result<ReportScan> scan = scanReports(folder, progress);
  if (!scan) {
    return Result<JobReport>::failure(scan.error());
  }
  for (const FoundRun& run : runsOf(*scan)) {
    const bool is_named = run.run_id == name || nameOfRun(run.run_id) == name;
    if (is_named && run.started_at_ns + kClocksNs > began_ns) {
      WorkEnds ends;
      Result<JobReport> job =
          mergeScan(folder, *scan, {.run_id = run.run_id}, progress, [&ends](const Report& report, const auto& path) {
            ends.add(report, path);
          });
      if (job && has_succeeded) {
        ends.note(*job);
      }
      return job;
    }
  }
  return Result<JobReport>::failure(folder + ": there is no report of run \"" + name + "\"");
}

/// Returns whether a process's command line names its program by a word of the command: that of a process of
/// multiprocessing, Ray or submitit does not.
bool namesProgram(const std::vector<std::string>& argv, const std::vector<std::string>& command) {
  const auto first = argv.begin() + (argv.size() > 1 ? 1 : 0); // after the interpreter
  return argv.empty() || std::any_of(first, argv.end(), [&command](const std::string& word) {
           return !word.starts_with('-') && std::find(command.begin(), command.end(), word) != command.end();
         });
}

/// Notes what the reports lack, for `commtap list`, `commtap check` and `commtap why`: how a command failed of which no
/// report says so, the processes that loaded torch without commtap, a command that no process names.
void note(
    const RunSetup& setup,
    const std::vector<std::string>& command,
    const Ending& ending,
    uint64_t began_ns,
    const std::vector<std::string>& missed,
    const Result<JobReport>& job) {
  const bool is_end_told = ending.wait_status == 0 || (job && hasEndedBadly(*job));
  const bool is_told = is_end_told && (!job || namesProgram(job->argv, command));
  if (is_told && missed.empty()) {
    return;
  }
  RunNote note = {
      .run_id = job ? job->run_id : setup.options.run_id,
      .name = setup.options.name,
      .argv = setup.options.command_line == CommandLine::kOff ? std::vector<std::string>() : withoutSecrets(command),
      .started_at_ns = began_ns,
      .ended_at_ns = wallClockNs(),
      .has_report = static_cast<bool>(job),
      .missed = missed.size(),
      .first_missed = missed.empty() ? "" : missed.front()};
  if (WIFSIGNALED(ending.wait_status)) {
    note.exit_signal = WTERMSIG(ending.wait_status);
  } else {
    note.exit_status = WEXITSTATUS(ending.wait_status);
  }
  if (const std::string error = writeRunNote(reportsFolder(setup), note); !error.empty()) {
    say(error);
  }
}

/// Returns what is known of a command that left no report.
MissingReport missingReport(const RunSetup& setup, const Ending& ending) {
  return {
      .folder = commonFolder(setup.options.out, setup.options.run_id),
      .running = processesOfRun(setup.options.run_id),
      .takes_preload_for_path = ending.wait_status != 0 && preloadsIn(setup.environment.get("LD_PRELOAD")).size() > 1};
}

void printSummary(
    const RunSetup& setup,
    const Result<JobReport>& job,
    const std::vector<std::string>& missed,
    const MissingReport& missing) {
  const std::string more = missed.empty() ? "" : missedLine(missed);
  if (!job) {
    fmt::print(stderr, "{}{}", noReportText(missing), more);
    return;
  }
  sayAll(job->copies);
  sayAll(job->problems);
  const std::string folder = reportsFolder(setup);
  const std::string verified = verifiedLine(*job, folder);
  const std::string ended = endedLine(*job, folder);
  fmt::print(stderr, "{}", runSummary(*job, folder, Color::forStream(STDERR_FILENO), more + verified + ended));
}

void recover(const RunSetup& setup) {
  const std::string folder = reportsFolder(setup);
  std::vector<std::string> problems;
  if (access(folder.c_str(), F_OK) == 0) {
    recoverLedgers(folder, problems);
  }
  sayAll(problems);
}

std::vector<std::string> serveArguments(const RunSetup& setup, const ServeFlags& serve) {
  std::vector<std::string> arguments = {
      "commtap", "serve", commonFolder(setup.options.out, setup.options.run_id), "--listen", serve.listen};
  if (!serve.token_file.empty()) {
    arguments.insert(arguments.end(), {kTokenFile, serve.token_file});
  }
  return arguments;
}

/// Returns what looks for processes without commtap, and takes at most a hundredth of a processor.
Launcher::Look lookFor(MissedProcesses& missed) {
  using Clock = std::chrono::steady_clock;
  static constexpr int kPause = 100;
  return [&missed, next = Clock::time_point()]() mutable {
    const Clock::time_point began = Clock::now();
    if (began < next) {
      return;
    }
    try {
      missed.look(static_cast<uint64_t>(std::chrono::nanoseconds(began.time_since_epoch()).count()));
      next = Clock::now() + kPause * (Clock::now() - began);
    } catch (const std::exception&) { // the command goes on without the watch
      next = Clock::time_point::max();
    }
  };
}

[[noreturn]] void runCommand(const std::vector<std::string>& command, const RunSetup& setup, const ServeFlags& serve) {
  std::optional<ServeProcess> server;
  if (setup.options.enabled && !serve.listen.empty()) {
    server.emplace("/proc/self/exe", serveArguments(setup, serve));
  }
  const uint64_t began_ns = wallClockNs();
  Launcher launcher;
  MissedProcesses missed(static_cast<uint64_t>(getpid()));
  const Ending ending =
      launcher.run(command, setup.environment.variables(), setup.options.enabled ? lookFor(missed) : Launcher::Look());
  server.reset();
  if (ending.exec_error != 0) {
    say(fmt::format("{} cannot be started: {}", command[0], std::strerror(ending.exec_error)));
    endAs(ending);
  }
  if (setup.options.enabled) {
    recover(setup);
  }
  launcher.release();
  if (setup.options.enabled) {
    const Result<JobReport> job = withProgress([&](const Progress& progress) {
      return readRun(reportsFolder(setup), setup.options.run_id, began_ns, ending.wait_status == 0, progress);
    });
    if (setup.options.log != LogLevel::kOff) {
      printSummary(setup, job, missed.found(), job ? MissingReport() : missingReport(setup, ending));
    }
    note(setup, command, ending, began_ns, missed.found(), job);
  }
  endAs(ending);
}

int run(
    const std::map<std::string, std::string>& flags,
    const ServeFlags& serve,
    const std::vector<std::string>& command) {
  endIf(command.empty() ? "a command to run is missing: commtap run [OPTIONS] -- COMMAND [ARGUMENTS]" : "");
  RunSetup setup = orEnd(setUpRun(environ, flags, executableFolder()));
  if (setup.options.enabled) {
    const std::string line = giveOwnFolder(setup);
    if (!line.empty() && setup.options.log != LogLevel::kOff) {
      say(line);
    }
  }
  runCommand(command, setup, serve);
}

} // namespace

Verb runVerb() {
  auto flags = std::make_shared<std::map<std::string, std::string>>();
  auto serve = std::make_shared<ServeFlags>();
  return {
      .name = "run",
      .help = "Run a command with commtap preloaded in all its processes",
      .usage = "commtap run [OPTIONS] -- COMMAND [ARGUMENTS]",
      .about = kRunAbout,
      .exit_status = kRunExitStatus,
      .examples =
          {"commtap run --out out -- torchrun --nproc-per-node 4 train.py",
           "commtap run --serve 0.0.0.0:9464 --token-file token -- torchrun --nnodes 2 train.py"},
      .options = optionFlags(*flags) +
                 OptionTable{
                     {.names = "--serve",
                      .value = "HOST:PORT",
                      .help = "Also run commtap serve until the command ends (commtap help hosts)",
                      .to = &serve->listen},
                     {.names = kTokenFile,
                      .value = "FILE",
                      .help = "The server's token, for an address beyond loopback",
                      .to = &serve->token_file}},
      .command = Command::kAfterOptions,
      .run = [flags, serve](const Given& given) { return run(*flags, *serve, given.command); }};
}

} // namespace commtap
