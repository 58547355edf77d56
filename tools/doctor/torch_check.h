// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "tools/doctor/diagnosis.h"

namespace commtap {

/// A torch on the disk.
struct TorchFiles {
  std::string cpu_library; ///< libtorch_cpu.so
  std::string version;     ///< "2.13.0+cpu"
  std::string minor;       ///< "2.13"
  bool is_release = false; ///< by the rule of shim/torch_version.h

  std::string folder() const {
    return cpu_library.substr(0, cpu_library.rfind('/'));
  }
};

/// Reads the version next to a libtorch_cpu.so, as the preloaded stub does. Fails if there is none.
Result<TorchFiles> readTorchFiles(const std::string& cpu_library);

/// Finds the library of the package `torch` in a folder. Fails if the package has none.
Result<TorchFiles> findTorchFiles(const std::string& package);

/// `is_forced`: COMMTAP_TORCH is "force", which accepts a version that is not a release. `has_own_tracker`: a tracker
/// was built for this version.
Diagnosis checkTorch(const Result<TorchFiles>& torch, bool is_forced, bool has_own_tracker);

} // namespace commtap
