// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"

namespace commtap {

/// Returns the first regular file among `places`, which are relative to the command's folder. The error names the file
/// and each place.
Result<std::string> findInstalled(const std::string& folder, const std::vector<std::string>& places);

/// Finds libcommtap.so relative to an executable in `folder`, in a build tree or an installation. The error lists the
/// paths that were tried.
Result<std::string> findLibrary(const std::string& folder);

/// Returns the folder of the running executable.
std::string executableFolder();

/// Returns `preload` with `library` appended, or unchanged if it already contains `library`.
std::string appendPreload(const std::string& preload, const std::string& library);

/// Returns the libraries that LD_PRELOAD names.
std::vector<std::string> preloadsIn(const std::string& preload);

} // namespace commtap
