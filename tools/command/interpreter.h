// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "tools/run/environment.h"

namespace commtap {

/// The facts that a Python interpreter reports of itself, without importing torch.
struct Interpreter {
  std::string executable; ///< sys.executable
  std::string program;    ///< the file that runs, without symbolic links
  std::string version;    ///< "3.11.2"
  std::string implementation;
  bool has_gil = true;
  std::string torch_folder;                ///< the package that `import torch` would load; "" if there is none
  std::vector<std::string> nvidia_folders; ///< of the namespace package `nvidia`
  bool has_memory_saver = false;           ///< the package torch_memory_saver

  /// Returns the name of its Python part: "3.11", "3.13t" without the GIL.
  std::string build() const;
};

/// Starts an interpreter. `command`: the words that start it, its path last.
Result<Interpreter> askInterpreter(const std::vector<std::string>& command, const Environment& environment);

/// Parses the answer of the interpreter.
Result<Interpreter> interpreterFromJson(const std::string& answer);

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
