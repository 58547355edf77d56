// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {
namespace {

std::string diagnosisLine(const Diagnosis& diagnosis, const Color& color) {
  const std::string health = fmt::format("{:<7}", EnumNames<Health>::name(diagnosis.health));
  const std::string todo = diagnosis.todo.empty() ? "" : ": " + diagnosis.todo;
  return fmt::format(
      "{}  {:<11}  {}\n",
      diagnosis.health == Health::kOk        ? health
      : diagnosis.health == Health::kWarning ? color.warning(health)
                                             : color.alarm(health),
      EnumNames<DoctorCheck>::name(diagnosis.check),
      inert(diagnosis.found + todo));
}

/// Returns the names of the checks with this health, with commas.
std::string checksWith(const std::vector<Diagnosis>& diagnoses, Health health) {
  std::string names;
  for (const Diagnosis& diagnosis : diagnoses) {
    if (diagnosis.health == health) {
      names += (names.empty() ? "" : ", ") + std::string(EnumNames<DoctorCheck>::name(diagnosis.check));
    }
  }
  return names;
}

} // namespace

bool isHealthy(const std::vector<Diagnosis>& diagnoses) {
  return std::none_of(diagnoses.begin(), diagnoses.end(), [](const Diagnosis& diagnosis) {
    return diagnosis.health == Health::kError;
  });
}

std::string verdictOf(const std::vector<Diagnosis>& diagnoses) {
  const std::string errors = checksWith(diagnoses, Health::kError);
  const std::string warnings = checksWith(diagnoses, Health::kWarning);
  return !errors.empty()    ? "a job would not be counted, or its reports would not be where you look; see " + errors
         : warnings.empty() ? "a job would be counted"
                            : "no error; see the warning at " + warnings;
}

std::string diagnosesText(const std::vector<Diagnosis>& diagnoses, const Color& color) {
  std::vector<Diagnosis> sorted = diagnoses;
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const Diagnosis& a, const Diagnosis& b) { return a.health > b.health; });
  std::string text;
  for (const Diagnosis& diagnosis : sorted) {
    text += diagnosisLine(diagnosis, color);
  }
  const std::string verdict = verdictOf(sorted);
  return text + "verdict: " + (isHealthy(sorted) ? verdict : color.alarm(verdict)) + "\n";
}

} // namespace commtap
