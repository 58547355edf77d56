// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// A torch on the disk.
struct TorchFiles {
  std::string cpu_library; ///< libtorch_cpu.so
  std::string version;     ///< "2.13.0+cpu"; "" if no file holds it
  std::string minor;       ///< "2.13"; "" with the version
  bool is_release = false; ///< by the rule of shim/torch_version.h

  std::string folder() const {
    return cpu_library.substr(0, cpu_library.rfind('/'));
  }
};

/// Reads the version of a libtorch_cpu.so, by the rule of the preloaded stub. `package`: the folder of the Python
/// package; "" for a program in C++.
TorchFiles readTorchFiles(const std::string& cpu_library, const std::string& package);

/// Says that no file holds the version of this torch, and which were read.
std::string unknownVersionText(const TorchFiles& torch);

/// Finds the library of the package `torch` in a folder. Fails if the package has none.
Result<TorchFiles> findTorchFiles(const std::string& package);

} // namespace commtap
