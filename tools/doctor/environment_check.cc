// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/environment_check.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "report/model/options.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// A variable by which another tool enters the process.
struct NeighbourRow {
  std::string_view variable;
  Health health;
  std::string_view meaning;
  std::string_view todo;
};

constexpr auto kNeighbourVariables = std::to_array<NeighbourRow>({
    {"LD_AUDIT",
     Health::kWarning,
     "an auditor may bind functions past commtap",
     "unset it if numbers are missing from the report"},
    {"NCCL_PROFILER_PLUGIN", Health::kOk, "the job's own plugin stays in use, and CUDA events time NCCL's kernels", ""},
    {"CUDA_INJECTION64_PATH", Health::kOk, "a profiler of CUDA calls, which commtap does not touch", ""},
    {"ROCP_TOOL_LIB", Health::kOk, "a profiler of ROCm calls, which commtap does not touch", ""},
});

constexpr auto kProfilers = std::to_array<std::string_view>({"ncu", "nsys", "perf", "rocprof", "rocprofv3", "strace"});

/// Splits one line of parseOptions() into what was found and what to do.
Diagnosis optionDiagnosis(const std::string& warning) {
  const size_t border = std::min(warning.find("; "), warning.find(": "));
  const size_t end = std::min(border, warning.size());
  return {
      DoctorCheck::kOptions,
      Health::kWarning,
      warning.substr(0, end),
      warning.substr(std::min(end + 2, warning.size()))};
}

Diagnosis neighbour(Health health, std::string found, std::string todo = {}) {
  return {DoctorCheck::kNeighbours, health, std::move(found), std::move(todo)};
}

std::vector<std::string> preloadsIn(const std::string& preload) {
  constexpr std::string_view kSeparators = ": \t\n";
  std::vector<std::string> paths;
  for (size_t start = 0; start < preload.size();) {
    const size_t end = std::min(preload.find_first_of(kSeparators, start), preload.size());
    if (end > start) {
      paths.push_back(preload.substr(start, end - start));
    }
    start = end + 1;
  }
  return paths;
}

/// Checks an entry of LD_PRELOAD other than commtap's own library.
Diagnosis checkOtherPreload(const std::string& path) {
  std::error_code error;
  const std::string name = fs::path(path).filename();
  if (path.find('/') != std::string::npos && !fs::exists(path, error)) {
    return neighbour(
        Health::kWarning,
        path + " in LD_PRELOAD does not exist: the dynamic linker says so in every process",
        "remove it from LD_PRELOAD");
  }
  if (name == "libcommtap.so") {
    return neighbour(
        Health::kWarning,
        path + " is another commtap in LD_PRELOAD: only the first copy in a process counts",
        "remove it from LD_PRELOAD");
  }
  return neighbour(Health::kOk, path + " is preloaded too");
}

} // namespace

std::vector<Diagnosis> checkOptions(const Environment& environment) {
  const ParsedOptions parsed = parseOptions(environment.pointers().data());
  std::vector<Diagnosis> diagnoses;
  if (!parsed.options.enabled) {
    diagnoses.push_back({DoctorCheck::kOptions, Health::kError, "COMMTAP=0 switches commtap off", "unset COMMTAP"});
  }
  for (const std::string& warning : parsed.warnings) {
    diagnoses.push_back(optionDiagnosis(warning));
  }
  if (diagnoses.empty()) {
    diagnoses.push_back({DoctorCheck::kOptions, Health::kOk, "every COMMTAP_ variable is an option"});
  }
  return diagnoses;
}

std::vector<Diagnosis>
checkNeighbours(const Environment& environment, const std::string& library, const std::vector<std::string>& command) {
  std::vector<Diagnosis> diagnoses;
  for (const std::string& path : preloadsIn(environment.get("LD_PRELOAD"))) {
    std::error_code error;
    if (path != library && !fs::equivalent(path, library, error)) {
      diagnoses.push_back(checkOtherPreload(path));
    }
  }
  for (const NeighbourRow& row : kNeighbourVariables) {
    if (const std::string value = environment.get(row.variable); !value.empty()) {
      diagnoses.push_back(
          neighbour(row.health, fmt::format("{}={}: {}", row.variable, value, row.meaning), std::string(row.todo)));
    }
  }
  for (const std::string& word : command) {
    if (std::find(kProfilers.begin(), kProfilers.end(), fs::path(word).filename().string()) != kProfilers.end()) {
      diagnoses.push_back(neighbour(Health::kOk, word + " profiles the job: its numbers include commtap's own work"));
    }
  }
  if (diagnoses.empty()) {
    diagnoses.push_back(neighbour(Health::kOk, "no other preloaded library, auditor or profiler"));
  }
  return diagnoses;
}

} // namespace commtap
