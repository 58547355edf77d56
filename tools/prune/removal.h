// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/prune/stored_run.h"

namespace commtap {

/// Deletes the reports of a run, and the folders below `root` that this leaves empty. Leaves a file alone that another
/// run has written in the meantime. Returns a line for each file that could not be deleted.
std::vector<std::string> removeRun(const StoredRun& run, const std::string& root);

} // namespace commtap
