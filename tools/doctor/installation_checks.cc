// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shim/built_tracker.h"
#include "shim/tracker_file.h"
#include "shim/trusted_file.h"
#include "tools/command/elf_file.h"

namespace commtap {

Diagnosis checkPython(const Result<Interpreter>& interpreter, bool is_assumed) {
  if (!interpreter) {
    return {
        DoctorCheck::kPython,
        Health::kError,
        interpreter.error(),
        "give doctor the command of the job: commtap doctor -- COMMAND"};
  }
  const std::string found =
      fmt::format("{} is {} {}", interpreter->executable, interpreter->implementation, interpreter->version);
  if (interpreter->implementation != "cpython") {
    return {DoctorCheck::kPython, Health::kWarning, found, "use CPython: in others all collectives belong to Global"};
  }
  if (is_assumed) {
    return {
        DoctorCheck::kPython,
        Health::kWarning,
        found + ", which doctor assumes because the command names no Python",
        "give doctor the command that starts Python"};
  }
  return {DoctorCheck::kPython, Health::kOk, found};
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

/// Returns the diagnosis of a file that the stub does not load. `refusal`: the stub's, "what it found: what to do".
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
