// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "report/base/result.h"
#include "report/model/options.h"
#include "tools/cli/verb.h"
#include "tools/run/environment.h"

namespace commtap {

/// The changes that `commtap run` makes to the environment of its command.
struct RunSetup {
  Environment environment;
  Options options; ///< as the command's processes will read them
};

/// Builds the environment that preloads the library into all processes. `flags` maps variable names to values, as given
/// on the command line. Looks for the library relative to `executable_folder`. The error is one line for the user.
Result<RunSetup> setUpPreload(
    const char* const* variables,
    const std::map<std::string, std::string>& flags,
    const std::string& executable_folder);

/// The same for one run, which gets a run id of its own unless it has one.
Result<RunSetup> setUpRun(
    const char* const* variables,
    const std::map<std::string, std::string>& flags,
    const std::string& executable_folder);

/// Gives a pattern such as `p-%r`, which has no folder of its own, the folder `commtap-out`, so that no other files are
/// read after the run. Returns "", or one line about the change.
std::string giveOwnFolder(RunSetup& setup);

/// Returns the folder of the reports if COMMTAP_OUT cannot be written to.
std::string fallbackFolder(const Environment& environment);

/// Returns the flags of the shim's and the tracker's options, such as `--out`. They set `flags`: values by the names of
/// their variables.
OptionTable optionFlags(std::map<std::string, std::string>& flags);

} // namespace commtap
