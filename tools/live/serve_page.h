// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/live/live_folder.h"

namespace commtap {

/// The page at `/`: who runs and what was communicated so far, in one HTML document without scripts that asks for
/// itself anew. Names are inert and escaped.
std::string servePage(const LiveReports& live, const std::string& folder);

} // namespace commtap
