// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace commtap {

/// Takes everything out of the process that costs anything, or puts it back. Any thread that does not hold the GIL.
void setWatching(bool on);

} // namespace commtap
