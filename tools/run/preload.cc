// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/preload.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace commtap {

namespace fs = std::filesystem;

Result<std::string> findInstalled(const std::string& folder, const std::vector<std::string>& places) {
  std::vector<std::string> tried;
  for (const std::string& place : places) {
    const fs::path path = (fs::path(folder) / place).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      return path.string();
    }
    tried.push_back(path);
  }
  return Result<std::string>::failure(fmt::format(
      "{} was not found at any of {}: install commtap again",
      fs::path(places.front()).filename().string(),
      fmt::join(tried, ", ")));
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libcommtap.so";
/// Characters that end a path in LD_PRELOAD; the dynamic linker supports no quoting.
constexpr const char* kSeparators = ": \t\n";

constexpr std::array<const char*, 4> kPlaces = {
    "../shim", // build tree
    "../lib/commtap",
    "../lib/" COMMTAP_MULTIARCH "/commtap",
    "../lib64/commtap",
};

bool isLibrary(const std::string& path, const std::string& library) {
  std::error_code error;
  return path == library || fs::equivalent(path, library, error);
}

} // namespace

Result<std::string> findLibrary(const std::string& folder) {
  std::vector<std::string> tried;
  for (const char* place : kPlaces) {
    const fs::path path = (fs::path(folder) / place / kLibrary).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      const std::string found = fs::canonical(path, error);
      return found.find_first_of(kSeparators) == std::string::npos
                 ? Result<std::string>(found)
                 : Result<std::string>::failure(
                       found +
                       " cannot be preloaded: its path must not contain a space or a colon: install it elsewhere");
    }
    tried.push_back(path);
  }
  return Result<std::string>::failure(
      fmt::format("{} was not found at any of {}: install or build it", kLibrary, fmt::join(tried, ", ")));
}

std::string executableFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::string appendPreload(const std::string& preload, const std::string& library) {
  for (size_t start = 0; start < preload.size();) {
    const size_t end = std::min(preload.find_first_of(kSeparators, start), preload.size());
    if (isLibrary(preload.substr(start, end - start), library)) {
      return preload;
    }
    start = end + 1;
  }
  return preload.empty() ? library : preload + ":" + library;
}

} // namespace commtap
