// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "report/base/result.h"
#include "report/model/options.h"
#include "tools/run/environment.h"

namespace commtap {

/// What `commtap run` changes in the environment of its command.
struct RunSetup {
  Environment environment;
  Options options; ///< as the command's processes will read them
};

/// `flags`: variable name to value, each as given. Fails with a line for the user; the library is looked for in
/// places relative to `executable_folder`.
Result<RunSetup> setUpRun(
    const char* const* variables,
    const std::map<std::string, std::string>& flags,
    const std::string& executable_folder);

} // namespace commtap
