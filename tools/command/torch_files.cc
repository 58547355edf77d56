// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/torch_files.h"

#include <filesystem>
#include <system_error>

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

} // namespace commtap
