// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/command/interpreter.h"
#include "tools/command/torch_files.h"
#include "tools/doctor/diagnosis.h"

namespace commtap {

/// `is_assumed`: the command names no Python; the one on the PATH was examined.
Diagnosis checkPython(const Result<Interpreter>& interpreter, bool is_assumed);

/// `is_forced`: COMMTAP_TORCH is "force", which accepts a version that is not a release. `has_own_tracker`: a tracker
/// was built for this version.
Diagnosis checkTorch(const Result<TorchFiles>& torch, bool is_forced, bool has_own_tracker);

} // namespace commtap
