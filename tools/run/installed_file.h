// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"

namespace commtap {

/// Returns the first regular file among `places`, which are relative to the command's folder. The error names the file
/// and each place.
Result<std::string> findInstalled(const std::string& folder, const std::vector<std::string>& places);

} // namespace commtap
