// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/preload.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// Characters that end a path in LD_PRELOAD; the dynamic linker supports no quoting.
constexpr const char* kSeparators = ": \t\n";

bool isLibrary(const std::string& path, const std::string& library) {
  std::error_code error;
  return path == library || fs::equivalent(path, library, error);
}

/// Returns the first regular file among `places`, relative to a folder. The error ends with what to do.
Result<std::string>
firstFileAt(const std::string& folder, const std::vector<std::string>& places, std::string_view todo) {
  std::vector<std::string> tried;
  for (const std::string& place : places) {
    const fs::path path = (fs::path(folder) / place).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      return path.string();
    }
    tried.push_back(path);
  }
  const std::string name = fs::path(places.front()).filename();
  return Result<std::string>::failure(
      fmt::format("{} was not found at any of {}: {}", name, fmt::join(tried, ", "), todo));
}

} // namespace

Result<std::string> findInstalled(const std::string& folder, const std::vector<std::string>& places) {
  return firstFileAt(folder, places, "install commtap again");
}

Result<std::string> findLibrary(const std::string& folder) {
  const Result<std::string> place = firstFileAt(
      folder,
      {"../shim/libcommtap.so", // build tree
       "../lib/commtap/libcommtap.so",
       "../lib/" COMMTAP_MULTIARCH "/commtap/libcommtap.so",
       "../lib64/commtap/libcommtap.so"},
      "install or build it");
  if (!place) {
    return place;
  }
  std::error_code error;
  const std::string found = fs::canonical(*place, error);
  return found.find_first_of(kSeparators) == std::string::npos
             ? Result<std::string>(found)
             : Result<std::string>::failure(
                   found + " cannot be preloaded: its path must not contain a space or a colon: install it elsewhere");
}

std::string executableFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::string appendPreload(const std::string& preload, const std::string& library) {
  const std::vector<std::string> paths = preloadsIn(preload);
  const bool has_it =
      std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return isLibrary(path, library); });
  return has_it ? preload : preload.empty() ? library : preload + ":" + library;
}

std::vector<std::string> preloadsIn(const std::string& preload) {
  std::vector<std::string> paths;
  for (size_t start = 0; start < preload.size();) {
    const size_t end = std::min(preload.find_first_of(kSeparators, start), preload.size());
    if (end > start) {
      paths.push_back(preload.substr(start, end - start));
    }
    start = end + 1;
  }
  return paths;
}

} // namespace commtap
