// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

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
