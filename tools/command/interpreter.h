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

  /// Returns the name of its Python part: "3.11", "3.13t" without the GIL.
  std::string build() const;
};

/// Starts an interpreter. `command`: the words that start it, its path last.
Result<Interpreter> askInterpreter(const std::vector<std::string>& command, const Environment& environment);

/// Parses the answer of the interpreter.
Result<Interpreter> interpreterFromJson(const std::string& answer);

} // namespace commtap
