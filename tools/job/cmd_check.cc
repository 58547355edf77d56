// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "report/compare/budget_file.h"
#include "report/compare/job_check.h"
#include "report/job/job_report.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/job/check_text.h"
#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

constexpr const char* kCheckAbout =
    "Checks that every rank has a readable report, that no process was killed or failed, that nothing is missing\n"
    "from the reports, and that the ranks agree. With --baseline, also checks that each row has the same calls,\n"
    "bytes and ranks as in the baseline; with --budget, that no row has more than the budget. Numbers are means\n"
    "per rank and training step, over the ranks that have the row; set-up is per rank and run. commtap help check\n"
    "describes budgets and formats.";
constexpr const char* kCheckExitStatus =
    "0 all checks passed; 1 some failed, or no report could be read; 2 wrong usage, or a path that does not\n"
    "exist.";

struct CheckArguments {
  std::string path;
  JobSelection selection;
  std::string baseline;
  std::string plan;
  std::string budget;
  std::string write;
  std::string format = "text";
  bool json = false;
  std::vector<std::string> tolerances;
  std::vector<std::string> renames;
  std::vector<std::string> allowed;
  bool verify = false;
  bool total = false;
};

/// The rules that the job is checked against.
struct Measure {
  std::optional<JobReport> baseline;
  std::optional<Budget> budget;
  std::vector<Tolerance> tolerances;
  std::vector<ModuleRename> renames;
  std::vector<Allowed> allowed;
};

Result<Budget> readBudget(const std::string& path) {
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<Budget>::failure(text.error());
  }
  Result<Budget> budget = budgetFromToml(*text);
  return budget ? budget : Result<Budget>::failure(path + ": " + budget.error());
}

/// Reads the files and options into `measure`.
void readMeasure(const CheckArguments& arguments, Measure& measure) {
  if (!arguments.budget.empty()) {
    measure.budget = orEnd(readBudget(arguments.budget));
    measure.allowed = measure.budget->allowed;
  }
  if (!arguments.baseline.empty()) {
    measure.baseline = readJobInput(arguments.baseline, {});
  }
  if (!arguments.plan.empty()) {
    measure.baseline = readJobInput(arguments.plan, {});
    endIf(measure.baseline->planned ? "" : arguments.plan + " is no plan: give it as --baseline");
  }
  for (const std::string& name : arguments.allowed) {
    measure.allowed.push_back(*allowedFromName(name));
  }
  endIf(readTolerances(arguments.tolerances, measure.budget ? measure.budget->tolerances : measure.tolerances));
  endIf(readRenames(arguments.renames, measure.renames));
}

/// Writes the budget of the job. Keeps the tolerances and allowances of an existing file, which a user may have edited.
void writeBudget(const std::string& path, const JobReport& job) {
  Budget budget = budgetOf(job);
  if (access(path.c_str(), F_OK) == 0) {
    Result<Budget> old = readBudget(path);
    endIf(old ? "" : old.error() + "; the file is unchanged");
    budget.allowed = std::move(old->allowed);
    budget.tolerances = std::move(old->tolerances);
    budget.exposed = old->exposed;
  }
  endIf(writeFileAtomically(path, budgetToToml(budget, job.source)), kExitFindings);
}

std::string render(
    const std::vector<Check>& checks,
    const std::vector<std::string>& notes,
    const JobReport& job,
    const CheckArguments& arguments) {
  const std::string& format = arguments.format;
  if (arguments.json) {
    return checkJson(checks, notes, job);
  }
  if (format == "github") {
    return checkGithub(checks, notes, job);
  }
  if (format == "junit") {
    return checkJunit(checks, job);
  }
  return format == "markdown" ? checkMarkdown(checks, notes, job)
                              : checkText(checks, notes, job, Color::forStream(STDOUT_FILENO));
}

/// Returns the check that `commtap verify` finds no error. Adds a line to `notes` if it warns, or compares nothing.
Check trainingCheck(const std::string& path, const JobReport& job, std::vector<std::string>& notes) {
  Check check{Check::What::kTraining, "", 0, {}};
  const Result<Verification> result =
      std::filesystem::is_directory(path)
          ? verifiedRun(path, {.run_id = job.run_id, .attempt = job.attempt})
          : Result<Verification>::failure(
                path + " is no folder with samples: run the job with COMMTAP_VERIFY=1, and check its folder");
  const bool lacks_files = result && result->unreadable > 0 && !result->problems.empty(); // they may hold an error
  const std::string line = !result       ? result.error()
                           : lacks_files ? result->problems.front()
                                         : "commtap verify: " + result->line;
  if (!result || lacks_files || result->status == VerifyStatus::kWrong) {
    check.findings.emplace_back().what = Finding::What::kTraining;
    check.findings.back().problem = line;
  } else if (result->status != VerifyStatus::kOk) {
    notes.push_back(line);
  }
  return check;
}

/// Returns whether a budget of the run would be too small: its numbers end early, or lack ranks.
bool isCutShort(const std::vector<Check>& checks) {
  return std::any_of(checks.begin(), checks.end(), [](const Check& check) {
    const bool is_of_end = check.what == Check::What::kReadable || check.what == Check::What::kComplete ||
                           check.what == Check::What::kEnded || check.what == Check::What::kSucceeded;
    return is_of_end && !check.findings.empty();
  });
}

int judge(const JobReport& job, const Measure& measure, const CheckArguments& arguments) {
  std::vector<Check> checks = checkJob(job, measure.allowed);
  std::vector<std::string> notes;
  if (isRunning(job)) {
    notes.emplace_back("a process still runs, or its end is not known: this is the job so far");
  }
  if (measure.baseline) {
    const std::vector<std::string> ends = badEnds({&*measure.baseline});
    notes.insert(notes.end(), ends.begin(), ends.end());
    const ComparedSteps steps = arguments.total ? ComparedSteps() : comparedSteps(*measure.baseline, job);
    const JobComparison comparison = compareJobs(*measure.baseline, job, measure.tolerances, steps);
    for (Check& check : checkBaseline(*measure.baseline, job, comparison, measure.allowed)) {
      checks.push_back(std::move(check));
    }
    notes.insert(notes.end(), comparison.notes.begin(), comparison.notes.end());
  }
  if (measure.budget) {
    for (Check& check : checkBudget(*measure.budget, job)) {
      checks.push_back(std::move(check));
    }
  }
  if (arguments.verify) {
    checks.push_back(trainingCheck(arguments.path, job, notes));
  }
  const int status = printOut(render(checks, notes, job, arguments));
  if (status == kExitOk && !arguments.write.empty()) {
    if (isCutShort(checks)) {
      say(arguments.write + " is not written: the run was cut short, and a whole one would be over its budget");
      return kExitFindings;
    }
    writeBudget(arguments.write, job);
  }
  return status != kExitOk || passed(checks) ? status : kExitFindings;
}

/// Returns whether the baseline is the run itself, which would pass every check: one folder, and the same run of it.
bool isItsOwnBaseline(const CheckArguments& arguments, const JobReport& baseline, const JobReport& job) {
  std::error_code error;
  return !arguments.baseline.empty() && std::filesystem::equivalent(arguments.path, arguments.baseline, error) &&
         baseline.run_id == job.run_id && baseline.attempt == job.attempt;
}

/// Returns why a run cannot be held against a plan; "" if it can.
std::string whyNoMeasure(const std::string& path, const JobReport& plan, const JobReport& job) {
  if (plan.world_size != job.world_size) {
    const int64_t ranks = job.world_size.value_or(0);
    return fmt::format(
        "{} plans {} ranks, and the run had {}: plan it with --world-size {}",
        path,
        plan.world_size.value_or(0),
        ranks,
        ranks);
  }
  if (!plan.missing.empty()) {
    return fmt::format("{} lacks {}: plan them all", path, ranksText(plan.missing));
  }
  return hasEndedBadly(plan) ? path + " has ranks that were planned up to an error: plan it to its end" : "";
}

/// Reads the run and what it is checked against. Ends the verb if there is nothing to judge.
JobReport readChecked(const CheckArguments& arguments, Measure& measure) {
  readMeasure(arguments, measure);
  JobReport job = readJobInput(arguments.path, arguments.selection);
  if (measure.baseline && isItsOwnBaseline(arguments, *measure.baseline, job)) {
    endVerb(arguments.baseline + " is the run that is checked: give another run as --baseline");
  }
  sayAll(job.copies);
  if (!arguments.plan.empty()) {
    endIf(whyNoMeasure(arguments.plan, *measure.baseline, job));
    measure.baseline = planFor(arguments.plan, *measure.baseline, job);
  }
  if (measure.budget && measure.budget->per_step && stepsOf(job) == 0) {
    endVerb(
        arguments.budget + " counts per step, and no steps are known of " + arguments.path +
        ": write a budget of a run without steps");
  }
  renameModules(measure.renames, job);
  if (measure.baseline) {
    renameModules(measure.renames, *measure.baseline);
  }
  return job;
}

int check(const CheckArguments& arguments) {
  Measure measure;
  JobReport job;
  try {
    job = readChecked(arguments, measure);
  } catch (const VerbEnd&) {
    if (arguments.format == "github") {
      printOut(unreadGithub(arguments.path));
    }
    throw;
  }
  return judge(job, measure, arguments);
}

/// Returns the options that say what the run is checked against.
OptionTable measureOptions(CheckArguments& arguments) {
  return {
      {.names = "--baseline",
       .value = "PATH",
       .help = "The run to compare with: a merged report or a folder",
       .to = &arguments.baseline},
      {.names = "--plan",
       .value = "PATH",
       .help = "The plan that the run must equal: a folder of commtap plan",
       .to = &arguments.plan,
       .excludes = {"--baseline"}},
      {.names = "--budget",
       .value = "FILE",
       .help = "The budget to check against",
       .to = &arguments.budget,
       .excludes = {"--baseline"}},
      {.names = "--write",
       .value = "FILE",
       .help = "Write a budget equal to this run; keeps the rules in FILE",
       .to = &arguments.write,
       .excludes = {"--baseline", "--budget"}},
      {.names = "--verify",
       .help = "Also fail on what commtap verify calls an error in the run's samples",
       .to = &arguments.verify},
      {.names = "--total", .help = "Compare with the baseline by run, not by training step", .to = &arguments.total}};
}

} // namespace

Verb checkVerb() {
  auto arguments = std::make_shared<CheckArguments>();
  return {
      .name = "check",
      .help = "Check a run against a baseline or a budget, for CI",
      .usage = "commtap check [OPTIONS] [PATH]",
      .about = kCheckAbout,
      .exit_status = kCheckExitStatus,
      .examples =
          {
              "commtap check out --write budget.toml",
              "commtap check out --budget budget.toml --format junit > commtap.xml",
              "commtap check out --budget budget.toml --format github",
              "commtap check out --plan plan",
              "commtap check out --verify",
              "commtap check out --baseline main.json --tolerance kind=all_to_all,bytes=10% --allow less",
          },
      .options =
          OptionTable{readPath(
              "PATH", arguments->path, "A folder of reports and ledgers, a report, a ledger, or a merged report")} +
          selectionOptions(arguments->selection) + measureOptions(*arguments) +
          OptionTable{
              toleranceOption(arguments->tolerances),
              renameOption(arguments->renames),
              {.names = "--allow",
               .help = "Accept findings of this kind",
               .to = &arguments->allowed,
               .words = {"disagreements", "missing_ranks", "killed", "failed", "not_seen", "less"}},
              formatOption(arguments->format, {"text", "markdown", "github", "junit"}),
              jsonOption(arguments->json, "commtap-check-1", {"--format"})},
      .run = [arguments](const Given& /*given*/) { return check(*arguments); }};
}

} // namespace commtap
