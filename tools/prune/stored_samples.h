// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/prune/stored_run.h"

namespace commtap {

/// Returns the samples files below a folder, with the runs that they name. Reads only their starts. Adds a line to
/// `problems` for each that cannot be read, which ends with `consequence`.
std::vector<StoredFile>
storedSamples(const std::string& folder, std::vector<std::string>& problems, const std::string& consequence);

} // namespace commtap
