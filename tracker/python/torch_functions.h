// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

namespace commtap {

/// Prepares the names to look for. The caller holds the GIL.
void startTorchFunctions();

/// Returns what torch's own Python code on this thread does outside of modules, as far as its functions are in the
/// table. Needs no GIL.
CommtapTorchFunction runningTorchFunction();

} // namespace commtap
