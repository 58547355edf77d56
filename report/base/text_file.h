// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "report/base/result.h"

namespace commtap {

/// The whole file, or the path and the system's reason.
Result<std::string> readTextFile(const std::string& path);

/// The first bytes of a file in a folder where others may write too; nothing that lies there holds up the reader, or
/// takes it elsewhere: a link, a pipe or a device is an error.
Result<std::string> readStartOfFile(const std::string& path, size_t size);

} // namespace commtap
