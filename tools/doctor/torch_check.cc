// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/torch_check.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "shim/torch_version.h"

namespace commtap {

TorchFiles readTorchFiles(const std::string& cpu_library, const std::string& package) {
  TorchFiles torch;
  torch.cpu_library = cpu_library;
  commtap_torch_version found{};
  if (commtap_read_version_of_torch(torch.folder().c_str(), package.empty() ? nullptr : package.c_str(), &found)) {
    torch.version = found.full;
    torch.minor = found.minor;
    torch.is_release = found.is_release;
  }
  return torch;
}

std::string unknownVersionText(const TorchFiles& torch) {
  return "the version of the torch in " + torch.folder() +
         " is unknown: no version.py, build-version or TorchConfigVersion.cmake near libtorch_cpu.so holds it";
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
      return readTorchFiles(std::filesystem::path(library).lexically_normal(), package);
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
  if (torch->version.empty()) {
    return {
        DoctorCheck::kTorch,
        Health::kError,
        unknownVersionText(*torch) + ", so nothing is counted",
        "install a release of torch there"};
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
