// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Checks that torch defines every C++ function that the stub interposes.
Diagnosis checkSymbols(const std::string& library, const std::string& cpu_library);

/// Finds the NCCL or RCCL that torch calls. `torch_lib`: the folder of libtorch_cpu.so; `nvidia_folders`: of the
/// namespace package `nvidia`.
Diagnosis checkNccl(const std::string& torch_lib, const std::vector<std::string>& nvidia_folders);

} // namespace commtap
