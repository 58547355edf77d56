// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/build_tracker/tracker_sources.h"

namespace commtap {

/// A torch to build a tracker for.
struct TorchToBuildFor {
  std::string version;        ///< "2.14.0a0+1a2b3c4.nv26.09"
  std::string include_folder; ///< its headers
  std::string folder;         ///< of libtorch_cpu.so and libc10.so
};

/// A file that a command of the build makes.
struct BuildStep {
  std::string source_path; ///< the file to write before, "" for none
  std::string source_text;
  std::vector<std::string> command;
};

/// How to build a tracker: `compile` in any order, then `link`.
struct BuildPlan {
  std::vector<BuildStep> compile;
  BuildStep link;
  std::string output; ///< the tracker
};

/// Plans to build in `work`, a folder of its own. `compiler`: the words that start a C++ compiler that takes GCC's
/// options.
BuildPlan planBuild(
    const TrackerSources& sources,
    const TorchToBuildFor& torch,
    const std::vector<std::string>& compiler,
    const std::string& work);

} // namespace commtap
