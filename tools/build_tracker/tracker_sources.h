// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"

namespace commtap {

/// The sources of a tracker as a wheel holds them: files below `folder`, and the list that `.dev/wheel` wrote of what
/// the build compiles.
struct TrackerSources {
  std::string folder;
  std::vector<std::string> defines;            ///< arguments of the compiler: "-DNAME=VALUE", "-UNAME"
  std::vector<std::vector<std::string>> units; ///< sources in C++ that are compiled together, relative to `folder`
  std::vector<std::string> c_files;            ///< sources in C
  std::string exports;                         ///< the linker's version script
};

/// Returns the folder of the sources of an installation. Fails if it has none, as a build folder. `executable_folder`:
/// of the command line.
Result<std::string> findTrackerSources(const std::string& executable_folder);

/// Reads the list in a folder of sources.
Result<TrackerSources> readTrackerSources(const std::string& folder);

/// Parses the list.
Result<TrackerSources> trackerSourcesFromJson(const std::string& folder, const std::string& list);

} // namespace commtap
