// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/text/text.h"

namespace commtap {
namespace {

struct DoctorCheckRow {
  std::string_view name;
  std::string_view help;
};

constexpr std::array<DoctorCheckRow, kDoctorCheckCount> kDoctorChecks = {{
    {"command",
     "The program of COMMAND exists, and `LD_PRELOAD` has an effect in it: it is not static, not setuid and of this "
     "processor. The programs before it (`srun`, `docker`, `sudo`) start it here and with this environment."},
    {"python",
     "Which Python COMMAND uses, by the first line of scripts such as `torchrun`; without COMMAND, the one that "
     "commtap is installed in, else `python3`."},
    {"torch", "Which torch that Python would import, and whether it is a release."},
    {"options", "Each `COMMTAP_` variable is an option and has a valid value; commtap is not switched off."},
    {"tracker", "The tracker for the minor version of that torch is installed."},
    {"python part", "The part for the minor version of that Python is installed; without it modules are unknown."},
    {"permissions", "Only you, root or the owner of the installation can replace the files that commtap loads."},
    {"symbols", "torch has every C++ function that commtap interposes for Gloo's durations."},
    {"nccl", "Which NCCL or RCCL torch calls, and whether its calls can be seen: only those of a shared library can."},
    {"neighbours", "Other preloaded libraries, auditors and profilers that share the process with commtap."},
    {"output", "`COMMTAP_OUT` can be written to, and on which file system it is."},
    {"space", "The disk and the limits (`ulimit`) have room for ledgers and samples."},
    {"preload",
     "A small process of that Python was started as `commtap run` would, imported torch and loaded commtap."},
    {"report", "That process made one collective of one module, and its report has both and nothing in `not_seen`."},
}};

constexpr std::array<std::string_view, 3> kHealthNames = {"ok", "warning", "error"};

std::string_view healthName(Health health) {
  return kHealthNames.at(static_cast<size_t>(health));
}

std::string diagnosisLine(const Diagnosis& diagnosis, const Color& color) {
  const std::string health = fmt::format("{:<7}", healthName(diagnosis.health));
  const std::string todo = diagnosis.todo.empty() ? "" : ": " + diagnosis.todo;
  return fmt::format(
      "{}  {:<11}  {}\n",
      diagnosis.health == Health::kOk        ? health
      : diagnosis.health == Health::kWarning ? color.warning(health)
                                             : color.alarm(health),
      doctorCheckName(diagnosis.check),
      inert(diagnosis.found + todo));
}

/// Returns the names of the checks with this health, with commas.
std::string checksWith(const std::vector<Diagnosis>& diagnoses, Health health) {
  std::string names;
  for (const Diagnosis& diagnosis : diagnoses) {
    if (diagnosis.health == health) {
      names += (names.empty() ? "" : ", ") + std::string(doctorCheckName(diagnosis.check));
    }
  }
  return names;
}

std::string verdictLine(const std::vector<Diagnosis>& diagnoses, const Color& color) {
  const std::string errors = checksWith(diagnoses, Health::kError);
  const std::string warnings = checksWith(diagnoses, Health::kWarning);
  std::string text = warnings.empty() ? "a job would be counted" : "no error; see the warning at " + warnings;
  if (!errors.empty()) {
    text = "a job would not be counted, or its reports would not be where you look; see " + errors;
  }
  return "verdict: " + (errors.empty() ? text : color.alarm(text)) + "\n";
}

} // namespace

std::string_view doctorCheckName(DoctorCheck check) {
  return kDoctorChecks.at(static_cast<size_t>(check)).name;
}

bool isHealthy(const std::vector<Diagnosis>& diagnoses) {
  return std::none_of(diagnoses.begin(), diagnoses.end(), [](const Diagnosis& diagnosis) {
    return diagnosis.health == Health::kError;
  });
}

std::string diagnosesText(const std::vector<Diagnosis>& diagnoses, const Color& color) {
  std::vector<Diagnosis> sorted = diagnoses;
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const Diagnosis& a, const Diagnosis& b) { return a.health > b.health; });
  std::string text;
  for (const Diagnosis& diagnosis : sorted) {
    text += diagnosisLine(diagnosis, color);
  }
  return text + verdictLine(sorted, color);
}

std::string diagnosesJson(const std::vector<Diagnosis>& diagnoses) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Diagnosis& diagnosis : diagnoses) {
    list.push_back(
        {{"check", doctorCheckName(diagnosis.check)},
         {"state", healthName(diagnosis.health)},
         {"found", diagnosis.found},
         {"todo", diagnosis.todo}});
  }
  return list.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string doctorCheckTable() {
  std::string table = "| check | what is checked |\n|---|---|\n";
  for (const DoctorCheckRow& row : kDoctorChecks) {
    table += fmt::format("| `{}` | {} |\n", row.name, row.help);
  }
  return table;
}

} // namespace commtap
