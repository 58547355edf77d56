// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/prune/stored_run.h"

namespace commtap {

/// Returns the samples files below a folder, with the runs that they name. Adds a line to `problems` for each that
/// cannot be read: it stays.
std::vector<StoredFile> storedSamples(const std::string& folder, std::vector<std::string>& problems);

} // namespace commtap
