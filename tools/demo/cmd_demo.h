// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// Finds demo.py relative to an executable in `folder`, in a build folder or an installation. The error lists the paths
/// that were tried.
Result<std::string> findDemo(const std::string& folder);

} // namespace commtap
