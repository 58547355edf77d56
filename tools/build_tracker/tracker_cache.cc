// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "shim/built_tracker.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTrackerPath = 4096; ///< bytes, as in the stub
constexpr mode_t kOwnerOnly = 0700;

std::string folderOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// Makes a folder that belongs to this user alone, or takes one that is there already.
std::string makePrivateFolder(const std::string& path) {
  std::string parents = makeFolders(folderOf(path));
  if (!parents.empty()) {
    return parents;
  }
  if (mkdir(path.c_str(), kOwnerOnly) == 0 || errno == EEXIST) {
    return "";
  }
  return path + ": " + std::error_code(errno, std::generic_category()).message();
}

/// Copies a file so that it appears whole, and only its owner may write to it.
std::string copyAtomically(const std::string& from, const std::string& to) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30U;
  const Result<std::string> content = readTextFile(from, kMostBytes);
  return content ? writeFileAtomically(to, *content) : content.error();
}

std::string copyPythonParts(const std::string& from, const std::string& to) {
  std::string made = makePrivateFolder(to);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const bool is_library = made.empty() && entry.path().extension() == ".so";
    std::string failure = is_library ? copyAtomically(entry.path(), to + "/" + entry.path().filename().string()) : "";
    if (!failure.empty()) {
      return failure;
    }
  }
  return made;
}

} // namespace

Result<TrackerCache> makeTrackerCache(const std::string& torch_version) {
  std::array<char, kMaxTrackerPath> path{};
  if (!commtap_built_tracker_path(torch_version.c_str(), path.data(), path.size())) {
    return Result<TrackerCache>::failure("there is no cache folder: set HOME or XDG_CACHE_HOME to an absolute path");
  }
  TrackerCache cache{path.data()};
  std::string failure = makePrivateFolder(folderOf(cache.folder()));
  if (failure.empty()) {
    failure = makePrivateFolder(cache.folder());
  }
  return failure.empty() ? Result<TrackerCache>(std::move(cache)) : Result<TrackerCache>::failure(std::move(failure));
}

std::string installTracker(const TrackerCache& cache, const std::string& built, const std::string& library) {
  std::string failure = copyPythonParts(folderOf(library) + "/trackers/python", cache.folder() + "/python");
  if (failure.empty()) {
    failure = copyAtomically(built, cache.tracker);
  }
  if (failure.empty()) {
    const char* refusal = commtap_built_tracker_refusal(cache.tracker.c_str());
    failure = refusal == nullptr ? "" : cache.tracker + " would not be loaded: " + refusal;
  }
  return failure;
}

} // namespace commtap
