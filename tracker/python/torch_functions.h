// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace commtap {

/// Prepares the names to look for. The caller holds the GIL.
void startTorchFunctions();

/// Returns what torch's own Python code on this thread does outside of modules, such as "clip_grad_norm_": the
/// outermost function that is in the table. Returns nullptr if none of them runs. Needs no GIL.
const char* runningTorchFunction();

} // namespace commtap
