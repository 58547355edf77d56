// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/probe.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/model/options.h"
#include "tools/cli/output_file.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kProbeLimit{180}; ///< a cold network file system can take a minute to import torch
constexpr std::string_view kProbeMark = "commtap-doctor ";
constexpr const char* kTrackerFile = "libcommtap-tracker";
constexpr const char* kModule = "DoctorProbe";

/// Prints a line for each thing that it has come past, so that a crash shows how far it came. Gloo with a group of one
/// needs no network, and no rank of the environment takes part.
constexpr const char* kProbeScript = R"(
import os, sys
sys.path[:] = [entry for entry in sys.path if entry]
def say(*words):
    print("commtap-doctor", *words, flush=True)
preload = os.environ.get("LD_PRELOAD", "")
say("preload", preload)
if sys.argv[1] not in preload:
    sys.exit()
import torch
import torch.distributed as dist
with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
    for path in sorted({line.split(None, 5)[5].rstrip("\n") for line in maps if "libcommtap" in line}):
        say("loaded", path)
say("imported", torch.__version__)
class DoctorProbe(torch.nn.Module):
    def forward(self, value):
        dist.all_reduce(value)
        return value
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
DoctorProbe()(torch.ones(1))
dist.destroy_process_group()
)";

std::optional<Report> reportIn(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") {
      const Result<std::string> text = readTextFile(entry.path());
      Result<Report> report = text ? reportFromJson(*text) : Result<Report>::failure(text.error());
      return report ? std::optional<Report>(std::move(*report)) : std::nullopt;
    }
  }
  return std::nullopt;
}

bool isLoaded(const Probe& probe, const std::string& name) {
  return std::any_of(probe.loaded.begin(), probe.loaded.end(), [&name](const std::string& path) {
    return fs::path(path).filename().string().starts_with(name);
  });
}

Diagnosis preloadError(std::string found, std::string todo) {
  return {DoctorCheck::kPreload, Health::kError, std::move(found), std::move(todo)};
}

/// Returns "; commtap says: ..." with the first message, "" if there is none.
std::string firstWarning(const Probe& probe) {
  const std::vector<std::string> warnings = warningsOf(probe);
  return warnings.empty() ? "" : "; " + warnings.front();
}

/// Removes the options that the check of options names: commtap would name them once more in the process.
void removeWrongOptions(Environment& environment) {
  const std::vector<std::string> variables = environment.variables();
  for (const std::string& variable : variables) {
    const char* const alone[] = {variable.c_str(), nullptr};
    if (!parseOptions(alone).warnings.empty()) {
      environment.unset(variable.substr(0, variable.find('=')));
    }
  }
}

/// Returns the module of the probe's collective: "" if no collective was counted.
std::string moduleOfCollective(const Report& report) {
  return report.collectives.empty() ? "" : report.collectives.front().module;
}

} // namespace

Probe runProbe(const std::vector<std::string>& command, Environment environment, const std::string& library) {
  const std::string temporary = environment.get("TMPDIR");
  const TemporaryFolder folder((temporary.empty() ? "/tmp" : temporary) + "/commtap-doctor");
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "COMMTAP_LOG"}) {
    environment.unset(name);
  }
  removeWrongOptions(environment);
  environment.set("COMMTAP_OUT", folder.path() + "/out");
  environment.set("OMP_NUM_THREADS", "1");
  std::vector<std::string> words = command;
  words.insert(words.end(), {"-c", kProbeScript, library});
  Probe probe;
  probe.outcome = runChild(words, environment, kProbeLimit);
  readProbeOutput(probe, library);
  probe.report = folder.path().empty() ? std::nullopt : reportIn(folder.path());
  return probe;
}

void readProbeOutput(Probe& probe, const std::string& library) {
  std::istringstream lines(probe.outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kProbeMark)) {
      continue;
    }
    const std::string rest = line.substr(kProbeMark.size());
    const std::string word = rest.substr(0, rest.find(' '));
    const std::string value = rest.substr(std::min(word.size() + 1, rest.size()));
    if (word == "preload") {
      probe.has_started = true;
      probe.has_variable = value.find(library) != std::string::npos;
    } else if (word == "loaded") {
      probe.loaded.push_back(value);
    } else if (word == "imported") {
      probe.has_imported = true;
    }
  }
}

std::vector<std::string> warningsOf(const Probe& probe) {
  std::vector<std::string> warnings;
  std::istringstream lines(probe.outcome.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[commtap ") || line.starts_with("ERROR: ld.so: ")) {
      warnings.push_back(line);
    }
  }
  return warnings;
}

Diagnosis checkPreload(const Probe& probe, const std::string& library) {
  if (probe.outcome.timed_out) {
    return preloadError(
        fmt::format("importing torch took longer than {} s", kProbeLimit.count()), "try again; is the disk slow?");
  }
  if (!probe.has_started) {
    return preloadError("the process did not start Python: " + lastLine(probe.outcome.err), "run the command by hand");
  }
  if (!probe.has_variable) {
    return preloadError(
        "LD_PRELOAD does not reach the process: the command removes it or sets its own",
        "put commtap behind what removes it: env ... commtap run -- COMMAND");
  }
  if (!probe.has_imported) {
    return preloadError("torch cannot be imported: " + lastLine(probe.outcome.err), "mend that first");
  }
  if (!isLoaded(probe, "libcommtap.so")) {
    return preloadError(
        "the dynamic linker did not load " + library + firstWarning(probe),
        "install commtap where this machine may execute files and every user may read them");
  }
  if (!isLoaded(probe, kTrackerFile)) {
    return preloadError(
        "commtap is in the process and loads no tracker" + firstWarning(probe), "see the line of the tracker");
  }
  return {DoctorCheck::kPreload, Health::kOk, "a process that imports torch loads commtap and the tracker"};
}

Diagnosis checkReport(const Probe& probe) {
  const auto diagnosis = [](Health health, std::string found, std::string todo = {}) {
    return Diagnosis{DoctorCheck::kReport, health, std::move(found), std::move(todo)};
  };
  if (!probe.report) {
    const bool has_failed = probe.has_imported && !probe.outcome.succeeded();
    return diagnosis(
        Health::kError,
        has_failed ? "the process failed before its report: " + lastLine(probe.outcome.err)
                   : "no report came" + firstWarning(probe),
        has_failed ? "mend that first: torch.distributed with Gloo must work" : "see the lines above");
  }
  const Report& report = *probe.report;
  if (const std::string module = moduleOfCollective(report); module != kModule) {
    return diagnosis(
        report.collectives.empty() ? Health::kError : Health::kWarning,
        report.collectives.empty()
            ? "the report has no collective"
            : "the collective belongs to " + module + " and not to its module" + firstWarning(probe),
        "see the line of the Python part");
  }
  if (!report.not_seen.empty()) {
    const NotSeenEntry& entry = report.not_seen.front();
    return diagnosis(
        Health::kWarning,
        fmt::format(
            "the report has {} in not_seen ({})", entry.reason, entry.detail.empty() ? entry.meaning : entry.detail),
        "commtap help report says what that means for the numbers");
  }
  const std::vector<std::string> warnings = warningsOf(probe);
  if (!warnings.empty()) {
    return diagnosis(Health::kWarning, "a report came, and a line on stderr: " + warnings.front(), "act on that line");
  }
  return diagnosis(
      Health::kOk, fmt::format("a report came: one all_reduce of its module, torch {}", report.job.torch_version));
}

} // namespace commtap
