// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tools/list/listed_run.h"
#include "tools/live/live_folder.h"
#include "tools/serve/http_server.h"
#include "tools/serve/live_metrics.h"

namespace commtap {

/// Returns the page at `/`: the running jobs, their state and what `commtap show` says of them, and the runs of the
/// folder, as one HTML document without scripts that reloads itself. Names are inert and escaped.
std::string servePage(const LiveReports& live, const RunList& runs, const std::string& folder, uint64_t now_ns);

/// Registers the paths of `commtap serve`. `folder` is the folder's name to display.
void addServePaths(HttpServer& server, LiveMetrics& live, const std::string& folder);

} // namespace commtap
