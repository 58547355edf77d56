// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/torch_check.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "report/base/text_file.h"
#include "shim/torch_version.h"

namespace commtap {
namespace {

constexpr size_t kMaxVersionFile = 4096; ///< bytes

/// Returns the version that follows `before` in a file, "" if there is none.
std::string versionInFile(const std::string& path, std::string_view before) {
  std::error_code error;
  const Result<std::string> text = readStartOfFile(std::filesystem::canonical(path, error), kMaxVersionFile);
  const size_t key = text ? text->find(before) : std::string::npos;
  if (key == std::string::npos) {
    return {};
  }
  const std::string rest = text->substr(key + before.size());
  return rest.substr(0, rest.find_first_of("'\" \t\r\n"));
}

} // namespace

Result<TorchFiles> readTorchFiles(const std::string& cpu_library) {
  TorchFiles torch;
  torch.cpu_library = cpu_library;
  const std::string above = torch.folder() + "/../";
  torch.version = versionInFile(above + "version.py", "__version__ = '");
  if (torch.version.empty()) {
    torch.version = versionInFile(above + "build-version", "");
  }
  commtap_torch_version parsed{};
  if (commtap_parse_torch_version(torch.version.c_str(), &parsed)) {
    torch.minor = parsed.minor;
    torch.is_release = parsed.is_release;
  }
  if (torch.minor.empty()) {
    return Result<TorchFiles>::failure(
        "the version of " + cpu_library + " is unknown: its folder has no version.py or build-version next to it");
  }
  return torch;
}

Result<TorchFiles> findTorchFiles(const std::string& package) {
  if (package.empty()) {
    return Result<TorchFiles>::failure("this Python has no torch");
  }
  // conda's packages have the libraries in the lib folder of the environment.
  for (const char* place : {"/lib", "/../../.."}) {
    const std::string library = package + place + "/libtorch_cpu.so";
    std::error_code error;
    if (std::filesystem::exists(library, error)) {
      return readTorchFiles(std::filesystem::path(library).lexically_normal());
    }
  }
  return Result<TorchFiles>::failure(package + " has no lib/libtorch_cpu.so");
}

Diagnosis checkTorch(const Result<TorchFiles>& torch, bool is_forced, bool has_own_tracker) {
  if (!torch) {
    return {
        DoctorCheck::kTorch,
        Health::kError,
        torch.error(),
        "install torch there, or give doctor the command of a Python that has it"};
  }
  const std::string found = fmt::format("torch {} in {}", torch->version, torch->folder());
  if (torch->is_release || has_own_tracker) {
    return {DoctorCheck::kTorch, Health::kOk, found};
  }
  if (is_forced) {
    return {DoctorCheck::kTorch, Health::kWarning, found + " is not a release; COMMTAP_TORCH=force accepts it"};
  }
  return {
      DoctorCheck::kTorch,
      Health::kError,
      found + " is not a release, and its classes may have another layout: nothing is counted",
      "use a release, make a tracker for it (commtap build-tracker), or try COMMTAP_TORCH=force"};
}

} // namespace commtap
