// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"

namespace commtap {

/// libcommtap.so as it lies beside an executable in `folder`: in a build tree or in an installation. The error names
/// the places where it was looked for.
Result<std::string> findLibrary(const std::string& folder);

/// The folder of the running executable.
std::string executableFolder();

/// LD_PRELOAD with `library` at its end; as it is if it names the library already.
std::string appendPreload(const std::string& preload, const std::string& library);

} // namespace commtap
