// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/library_check.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "tools/command/elf_file.h"

namespace commtap {
namespace {

constexpr std::string_view kTorchFunctions = "_ZN4c10d"; ///< the start of c10d's mangled names

std::set<std::string> definedIn(const ElfFile& file, std::string_view start) {
  std::set<std::string> names;
  file.visitSymbols([&](std::string_view name, bool is_defined) {
    if (is_defined && name.starts_with(start)) {
      names.emplace(name);
    }
  });
  return names;
}

bool isThereFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// Returns the path of a library that torch links, "" if the dynamic linker finds it elsewhere.
std::string
pathOfNccl(const std::string& name, const std::string& torch_lib, const std::vector<std::string>& nvidia_folders) {
  std::vector<std::string> paths = {torch_lib + "/" + name};
  for (const std::string& folder : nvidia_folders) {
    paths.emplace_back(folder).append("/nccl/lib/").append(name);
  }
  const auto found = std::find_if(paths.begin(), paths.end(), isThereFile);
  return found == paths.end() ? "" : *found;
}

/// Returns the name under which torch's GPU library links NCCL or RCCL, "" if it does not.
std::string ncclNeededBy(const ElfFile& gpu_library) {
  const std::vector<std::string> needed = gpu_library.needed();
  const auto found = std::find_if(needed.begin(), needed.end(), [](const std::string& name) {
    return name.starts_with("libnccl.so") || name.starts_with("librccl.so");
  });
  return found == needed.end() ? "" : *found;
}

} // namespace

Diagnosis checkSymbols(const std::string& library, const std::string& cpu_library) {
  const Result<ElfFile> stub = ElfFile::open(library);
  const Result<ElfFile> torch = ElfFile::open(cpu_library);
  if (!stub || !torch) {
    return {DoctorCheck::kSymbols, Health::kError, stub ? torch.error() : stub.error(), "install it again"};
  }
  const std::set<std::string> interposed = definedIn(*stub, kTorchFunctions);
  const std::set<std::string> defined = definedIn(*torch, kTorchFunctions);
  const auto missing = std::find_if(
      interposed.begin(), interposed.end(), [&defined](const std::string& name) { return defined.count(name) == 0; });
  if (missing == interposed.end()) {
    return {DoctorCheck::kSymbols, Health::kOk, fmt::format("torch has all {} functions of c10d", interposed.size())};
  }
  return {
      DoctorCheck::kSymbols,
      Health::kWarning,
      "torch lacks " + *missing + ": collectives are counted, and some have no duration (untimed)",
      "use a torch release if you need COMMTAP_TIMING"};
}

Diagnosis checkNccl(const std::string& torch_lib, const std::vector<std::string>& nvidia_folders) {
  for (const char* name : {"libtorch_cuda.so", "libtorch_hip.so"}) {
    const Result<ElfFile> gpu_library = ElfFile::open(torch_lib + "/" + name);
    if (!gpu_library) {
      continue;
    }
    const std::string nccl = ncclNeededBy(*gpu_library);
    if (nccl.empty()) {
      return {
          DoctorCheck::kNccl,
          Health::kWarning,
          fmt::format("NCCL is linked into {}: its calls are not in the report, collectives are", name),
          "use a torch with a shared NCCL if you need `nccl` or durations of kernels"};
    }
    const std::string path = pathOfNccl(nccl, torch_lib, nvidia_folders);
    const std::string where = path.empty() ? nccl + ", which the dynamic linker finds" : path;
    return {DoctorCheck::kNccl, Health::kOk, fmt::format("{} calls the shared library {}", name, where)};
  }
  return {DoctorCheck::kNccl, Health::kOk, "this torch has no library for GPUs, and calls no NCCL"};
}

} // namespace commtap
