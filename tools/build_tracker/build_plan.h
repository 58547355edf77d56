// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "tools/run/environment.h"

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

/// Carries a plan out with `jobs` compilers at a time. `progress(done, total)` is called by one thread at a time.
/// Returns "", or what failed with the first of the compiler's messages.
std::string runBuild(
    const BuildPlan& plan,
    const Environment& environment,
    size_t jobs,
    const std::function<void(size_t, size_t)>& progress);

/// A place for trackers that this user built, which the stub searches (shim/built_tracker.h).
struct TrackerCache {
  std::string tracker; ///< the file that the stub loads for a version of torch

  std::string folder() const {
    return tracker.substr(0, tracker.rfind('/'));
  }
};

/// Makes the folder for the tracker of a torch, open to this user alone. Fails if others may write to it.
Result<TrackerCache> makeTrackerCache(const std::string& torch_version);

/// Puts a built tracker in its place, and the installed Python parts next to it, where it looks for them. `library`:
/// the preloaded stub. Returns "" or what failed.
std::string installTracker(const TrackerCache& cache, const std::string& built, const std::string& library);

} // namespace commtap
