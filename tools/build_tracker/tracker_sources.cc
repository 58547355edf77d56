// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/tracker_sources.h"

#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "report/base/text_file.h"

namespace commtap {
namespace {

constexpr const char* kFolder = "../share/commtap/tracker";
constexpr const char* kList = "/sources.json";

} // namespace

Result<std::string> findTrackerSources(const std::string& executable_folder) {
  const std::string folder = (std::filesystem::path(executable_folder) / kFolder).lexically_normal();
  std::error_code error;
  return std::filesystem::is_regular_file(folder + kList, error)
             ? Result<std::string>(folder)
             : Result<std::string>::failure(
                   folder +
                   " has no sources: they come with commtap's wheel and archive; in a checkout, ./dev build "
                   "makes the tracker for the torch of its environment");
}

Result<TrackerSources> readTrackerSources(const std::string& folder) {
  const Result<std::string> list = readTextFile(folder + kList);
  return list ? trackerSourcesFromJson(folder, *list) : Result<TrackerSources>::failure(list.error());
}

Result<TrackerSources> trackerSourcesFromJson(const std::string& folder, const std::string& list) {
  try {
    const nlohmann::json parsed = nlohmann::json::parse(list);
    return TrackerSources{
        .folder = folder,
        .defines = parsed.at("defines"),
        .units = parsed.at("units"),
        .c_files = parsed.at("c_files"),
        .exports = parsed.at("exports")};
  } catch (const nlohmann::json::exception& error) {
    return Result<TrackerSources>::failure(folder + kList + ": " + error.what() + ": install commtap again");
  }
}

} // namespace commtap
