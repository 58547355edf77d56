// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/installation_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shim/built_tracker.h"
#include "shim/tracker_file.h"
#include "shim/trusted_file.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPath = 4096; ///< bytes, as in the stub

std::string folderOfFile(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// Returns "2.12, 2.13" for the trackers in the folders that the stub looks into: what follows the last dash in their
/// names.
std::string installedMinors(const std::string& library) {
  std::vector<std::string> minors;
  for (const char* folder : {"/trackers", "/../tracker"}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folderOfFile(library) + folder, error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libcommtap-tracker-") && name.ends_with(".so")) {
        minors.push_back(name.substr(name.rfind('-') + 1, name.size() - name.rfind('-') - 4));
      }
    }
  }
  std::sort(minors.begin(), minors.end());
  return minors.empty() ? "none" : fmt::format("{}", fmt::join(minors, ", "));
}

/// Returns the diagnosis of a file that the stub does not load. `refusal`: the stub's, "FOUND: TODO".
Diagnosis refused(DoctorCheck check, Health health, const std::string& file_is, const std::string& refusal) {
  const size_t colon = std::min(refusal.find(": "), refusal.size());
  return {
      check,
      health,
      fmt::format("{} loaded, because {}", file_is, refusal.substr(0, colon)),
      refusal.substr(std::min(colon + 2, refusal.size()))};
}

} // namespace

bool hasBuiltTracker(const TorchFiles& torch) {
  std::array<char, kMaxPath> path{};
  return commtap_find_built_tracker(torch.version.c_str(), path.data(), path.size());
}

std::string findTracker(const std::string& library, const TorchFiles& torch) {
  std::array<char, kMaxPath> path{};
  const bool found = commtap_find_built_tracker(torch.version.c_str(), path.data(), path.size()) ||
                     commtap_find_tracker(library.c_str(), torch.minor.c_str(), path.data(), path.size());
  return found ? fs::path(path.data()).lexically_normal().string() : "";
}

std::string findPythonPart(const std::string& tracker, const std::string& python_build) {
  const std::string path = folderOfFile(tracker) + "/python/libcommtap-python-" + python_build + ".so";
  return access(path.c_str(), R_OK) == 0 ? path : "";
}

Diagnosis checkTracker(const std::string& library, const TorchFiles& torch) {
  std::array<char, kMaxPath> built{};
  const bool is_built =
      commtap_built_tracker_path(torch.version.c_str(), built.data(), built.size()) && access(built.data(), R_OK) == 0;
  const char* refusal = is_built ? commtap_built_tracker_refusal(built.data()) : nullptr;
  if (refusal != nullptr) {
    return refused(DoctorCheck::kTracker, Health::kWarning, std::string(built.data()) + " is not", refusal);
  }
  const std::string tracker = findTracker(library, torch);
  if (!tracker.empty()) {
    return {
        DoctorCheck::kTracker,
        Health::kOk,
        fmt::format("{}, because torch is {}", tracker, is_built ? torch.version : torch.minor)};
  }
  return {
      DoctorCheck::kTracker,
      Health::kError,
      fmt::format(
          "no tracker for torch {} is installed next to {}, only: {}", torch.minor, library, installedMinors(library)),
      "install a commtap that has it, or make one: commtap build-tracker"};
}

Diagnosis checkPythonPart(const std::string& tracker, const std::string& python_build) {
  const std::string part = findPythonPart(tracker, python_build);
  if (!part.empty()) {
    return {DoctorCheck::kPythonPart, Health::kOk, part};
  }
  return {
      DoctorCheck::kPythonPart,
      Health::kWarning,
      fmt::format("no part for Python {} is installed, so all collectives will belong to Global", python_build),
      "install a commtap that has it, or use another Python"};
}

Diagnosis checkPermissions(const std::string& library, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const char* refusal = file.empty() ? nullptr : commtap_load_refusal(file.c_str(), library.c_str());
    if (refusal != nullptr) {
      return refused(DoctorCheck::kPermissions, Health::kError, file + " would not be", refusal);
    }
  }
  return {DoctorCheck::kPermissions, Health::kOk, "only trusted users can write to what commtap loads"};
}

} // namespace commtap
