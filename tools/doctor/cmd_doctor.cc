// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "report/json/row_write.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/doctor/diagnosis.h"
#include "tools/run/preload.h"
#include "tools/text/table.h"

namespace commtap {
namespace {

constexpr const char* kDoctorAbout =
    "Prints one line per check, errors first: ok, warning or error, what was found, and what to do; then the verdict.\n"
    "Starts a small process of the command's Python as `commtap run` would, and looks whether its report comes.\n"
    "Without COMMAND, examines the Python that commtap is installed in, else python3.";
constexpr const char* kDoctorExitStatus = "0 no error; 1 an error: a job would not be counted; 2 wrong usage.";

int doctor(const std::vector<std::string>& command, bool is_json) {
  DoctorReport report{
      .checks = withProgress(
          [&](const Progress& progress) { return examine(command, environ, executableFolder(), progress); },
          "checking",
          std::chrono::milliseconds(0))};
  report.verdict = verdictOf(report.checks);
  const int printed =
      printOut(is_json ? jsonDocument(report) : diagnosesText(report.checks, Color::forStream(STDOUT_FILENO)));
  return isHealthy(report.checks) ? printed : kExitFindings;
}

} // namespace

Verb doctorVerb() {
  auto is_json = std::make_shared<bool>(false);
  return {
      .name = "doctor",
      .help = "Check that commtap would count a command's collectives",
      .usage = "commtap doctor [--json] [-- COMMAND [ARGUMENTS]]",
      .about = kDoctorAbout,
      .exit_status = kDoctorExitStatus,
      .examples = {"commtap doctor -- torchrun --nproc-per-node 4 train.py"},
      .options = {jsonOption(*is_json, "commtap-doctor-1")},
      .command = Command::kAfterOptions,
      .run = [is_json](const Given& given) { return doctor(given.command, *is_json); }};
}

} // namespace commtap
