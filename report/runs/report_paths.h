// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Every file below a folder that by its name may be a report or a ledger, sorted; of a file, the file. A folder that
/// cannot be listed to its end is a problem.
std::vector<std::string> reportPaths(const std::string& path, std::vector<std::string>& problems);

/// Whether a file that was there is gone: a process that ends puts a JSON in its ledger's place.
bool vanished(const std::string& path);

/// What names a process across files and runs.
using ProcessKey = std::tuple<std::string, std::string, uint64_t, uint64_t>;
ProcessKey processKeyOf(const Job& job);

/// Where the report of the process of a ledger that has vanished may be now.
std::vector<std::string> placesAfter(const std::string& ledger_path, const Job& job);

} // namespace commtap
