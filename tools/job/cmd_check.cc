// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/cmd_check.h"

#include <unistd.h>

#include <memory>

#include <fmt/format.h>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "report/compare/budget_file.h"
#include "report/compare/job_check.h"
#include "report/job/job_reader.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/progress.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/job/check_text.h"

namespace commtap {
namespace {

constexpr const char* kCheckAbout =
    "Checks that every rank has a readable report, that no process was killed, that nothing is missing from the\n"
    "reports, and that the ranks agree. With --baseline, also checks that each rank communicates as in the baseline;\n"
    "with --budget, that it communicates no more than the budget. Numbers are means per rank of one run, over the\n"
    "ranks that have the row. docs/check.md describes budgets and formats.";
constexpr const char* kCheckExitStatus =
    "0 all checks passed; 1 some failed; 2 wrong usage, a path that does not exist, or no reports.";

struct CheckArguments {
  std::string path;
  std::string baseline;
  std::string budget;
  std::string write;
  std::string format = "text";
  std::vector<std::string> tolerances;
  std::vector<std::string> allowed;
};

/// The rules that the job is checked against.
struct Measure {
  std::optional<JobReport> baseline;
  std::optional<Budget> budget;
  std::vector<Tolerance> tolerances;
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

/// Reads the files and options into `measure`. Returns "", or one line that says what is wrong.
std::string readMeasure(const CheckArguments& arguments, Measure& measure) {
  if (!arguments.budget.empty()) {
    Result<Budget> budget = readBudget(arguments.budget);
    if (!budget) {
      return budget.error();
    }
    measure.allowed = budget->allowed;
    measure.budget = std::move(*budget);
  }
  if (!arguments.baseline.empty()) {
    recoverOrphanedLedgers(arguments.baseline);
    Result<JobReport> job =
        withProgress([&](const Progress& progress) { return readJob(arguments.baseline, {}, progress); });
    if (!job) {
      return job.error();
    }
    measure.baseline = std::move(*job);
  }
  for (const std::string& name : arguments.allowed) {
    measure.allowed.push_back(*allowedFromName(name));
  }
  std::vector<Tolerance>& rules = measure.budget ? measure.budget->tolerances : measure.tolerances;
  return readTolerances(arguments.tolerances, rules);
}

/// Writes the budget of the job. Keeps the tolerances and allowances of an existing file, which a user may have edited.
int writeBudget(const std::string& path, const JobReport& job) {
  Budget budget = budgetOf(job);
  if (access(path.c_str(), F_OK) == 0) {
    Result<Budget> old = readBudget(path);
    if (!old) {
      say(old.error() + "; the file is unchanged");
      return kExitUsage;
    }
    budget.allowed = std::move(old->allowed);
    budget.tolerances = std::move(old->tolerances);
  }
  if (const std::string error = writeFileAtomically(path, budgetToToml(budget, job.source)); !error.empty()) {
    say(error);
    return kExitFindings;
  }
  return kExitOk;
}

std::string render(const std::vector<Check>& checks, const JobReport& job, const std::string& format) {
  if (format == "json") {
    return checkJson(checks, job);
  }
  if (format == "junit") {
    return checkJunit(checks, job);
  }
  return format == "markdown" ? checkMarkdown(checks, job) : checkText(checks, job, Color::forStream(STDOUT_FILENO));
}

int judge(const JobReport& job, const Measure& measure, const CheckArguments& arguments) {
  std::vector<Check> checks = checkJob(job, measure.allowed);
  if (measure.baseline) {
    for (Check& check : checkBaseline(*measure.baseline, job, measure.tolerances, measure.allowed)) {
      checks.push_back(std::move(check));
    }
  }
  if (measure.budget) {
    for (Check& check : checkBudget(*measure.budget, job)) {
      checks.push_back(std::move(check));
    }
  }
  int status = printOut(render(checks, job, arguments.format));
  if (status == kExitOk && !arguments.write.empty()) {
    status = writeBudget(arguments.write, job);
  }
  return status != kExitOk || passed(checks) ? status : kExitFindings;
}

int check(const CheckArguments& arguments) {
  Measure measure;
  if (const std::string error = readMeasure(arguments, measure); !error.empty()) {
    say(error);
    return kExitUsage;
  }
  recoverOrphanedLedgers(arguments.path);
  const Result<JobReport> job =
      withProgress([&](const Progress& progress) { return readJob(arguments.path, {}, progress); });
  if (!job) {
    say(job.error());
    return kExitUsage;
  }
  sayAll(job->copies);
  return judge(*job, measure, arguments);
}

} // namespace

void addCheck(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("check", "Check a run against a baseline or a budget, for CI");
  describe(
      *verb,
      {.usage = "commtap check [OPTIONS] PATH",
       .about = kCheckAbout,
       .exit_status = kCheckExitStatus,
       .examples = {
           "commtap check out --write budget.toml",
           "commtap check out --budget budget.toml --format junit > commtap.xml",
           "commtap check out --baseline main.json --tolerance kind=all_to_all,bytes=10% --allow less",
       }});
  auto arguments = std::make_shared<CheckArguments>();
  addPath(*verb, "PATH", arguments->path, "A folder of reports and ledgers, a report, a ledger, or a merged report");
  CLI::Option* baseline =
      verb->add_option("--baseline", arguments->baseline, "The run to compare with: a merged report or a folder");
  baseline->type_name("PATH");
  CLI::Option* budget = verb->add_option("--budget", arguments->budget, "The budget to check against");
  budget->type_name("FILE")->excludes(baseline);
  verb->add_option("--write", arguments->write, "Write a budget equal to this run; keeps the rules in FILE")
      ->type_name("FILE")
      ->excludes(baseline)
      ->excludes(budget);
  addTolerances(*verb, arguments->tolerances);
  addWords(
      *verb,
      "--allow",
      arguments->allowed,
      "Accept findings of this kind",
      {"disagreements", "missing_ranks", "killed", "not_seen", "less"});
  addFormat(*verb, arguments->format, {"text", "markdown", "junit", "json"});
  verb->callback([arguments, &exit_status] { exit_status = check(*arguments); });
}

} // namespace commtap
