// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/installed_file.h"

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

} // namespace commtap
