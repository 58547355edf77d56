// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace commtap {

/// Returns false with errno set if `ulimit -f` forbids this process a file of that size. Call it before growing a file:
/// beyond the limit the kernel also sends SIGXFSZ, which would kill the job.
bool isAllowedFileSize(uint64_t bytes);

} // namespace commtap
