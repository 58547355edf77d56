// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// Returns the bearer token in the first line of a file.
Result<std::string> readTokenFile(const std::string& path);

} // namespace commtap
