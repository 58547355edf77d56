// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/result.h"

namespace commtap {

/// The whole file, or the path and the system's reason.
Result<std::string> readTextFile(const std::string& path);

} // namespace commtap
