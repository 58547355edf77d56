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

/// Returns the page at `/`: the runs of the folder, then the jobs that run or have ended recently, the newest first,
/// with their state, the verdict of `commtap why` on those that need a look, and what `commtap show` says. It is one
/// HTML document without scripts that reloads itself. Names are inert and escaped.
std::string servePage(
    const LiveReports& live,
    const HangWatch& hangs,
    const RunList& runs,
    const std::string& folder,
    uint64_t now_ns);

/// Registers the paths of `commtap serve`. `folder` is the folder's name to display.
void addServePaths(HttpServer& server, LiveMetrics& live, const std::string& folder);

} // namespace commtap
