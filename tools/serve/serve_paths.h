// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/serve/http_server.h"
#include "tools/serve/live_metrics.h"

namespace commtap {

/// Registers the paths of `commtap serve`. `folder` is the folder's name to display.
void addServePaths(HttpServer& server, LiveMetrics& live, const std::string& folder);

} // namespace commtap
