// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/runs/report_scan.h"
#include "tools/text/table.h"

namespace commtap {

enum class Health : uint8_t { kOk, kWarning, kError };

/// The checks of `commtap doctor`, in the order in which it prints them.
enum class DoctorCheck : uint8_t {
  kCommand,
  kPython,
  kTorch,
  kOptions,
  kTracker,
  kPythonPart,
  kPermissions,
  kSymbols,
  kNccl,
  kNeighbours,
  kOutput,
  kSpace,
  kPreload,
  kReport,
};
inline constexpr size_t kDoctorCheckCount = 14;

/// The result of one check.
struct Diagnosis {
  DoctorCheck check;
  Health health = Health::kOk;
  std::string found;
  std::string todo = {}; ///< what the user should do; "" if nothing
};

std::string_view doctorCheckName(DoctorCheck check);

/// Returns whether no check found an error.
bool isHealthy(const std::vector<Diagnosis>& diagnoses);

/// Returns one line per diagnosis, errors first: its health, the name of the check, what was found and what to do. The
/// last line says whether a job would be counted.
std::string diagnosesText(const std::vector<Diagnosis>& diagnoses, const Color& color);

/// Returns a JSON list of one object per diagnosis: `check`, `state`, `found` and `todo`.
std::string diagnosesJson(const std::vector<Diagnosis>& diagnoses);

/// Returns the Markdown table of all checks for docs/doctor.md.
std::string doctorCheckTable();

/// Runs all checks for a command, in the order of DoctorCheck. `variables` has the form of `environ`. Looks for commtap
/// relative to `executable_folder`. Calls `progress` between checks that take long.
std::vector<Diagnosis> examine(
    const std::vector<std::string>& command,
    const char* const* variables,
    const std::string& executable_folder,
    const Progress& progress);

} // namespace commtap
