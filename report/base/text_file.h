// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "report/base/result.h"

namespace commtap {

/// Returns the content of a file, or an error with the path and the system's reason.
Result<std::string> readTextFile(const std::string& path);

/// Returns the first `size` bytes of a file in a folder that other users may write to. Rejects symbolic links, pipes
/// and devices, so a file planted there can neither block the reader nor redirect it.
Result<std::string> readStartOfFile(const std::string& path, size_t size);

} // namespace commtap
