// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace commtap {

/// If this process runs Python: loads the Python part that fits its version, which then watches module calls.
/// Needs the GIL, which the thread that imports torch has.
void startPython();

void setPythonEnabled(bool enabled);

} // namespace commtap
