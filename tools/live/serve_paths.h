// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/live/http_server.h"
#include "tools/live/live_metrics.h"

namespace commtap {

/// What `commtap serve` answers to which path. `folder`: what it serves, by name.
void addServePaths(HttpServer& server, LiveMetrics& live, const std::string& folder);

} // namespace commtap
