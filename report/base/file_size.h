// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace commtap {

/// False with errno set if this process may make no file of that size (`ulimit -f`). To be asked before a file grows:
/// beyond the limit the kernel does not only refuse, it sends SIGXFSZ, of which the job would die.
bool isAllowedFileSize(uint64_t bytes);

} // namespace commtap
