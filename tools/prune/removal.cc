// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/removal.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "report/json/report_head.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// Returns whether the file still is the report that was found.
bool isStill(const StoredFile& file) {
  const Result<Job> job = readReportHead(file.path);
  return job && job->run_id == file.run_id;
}

/// Deletes empty folders, from `folder` up to but without `root`.
void removeEmptyFolders(fs::path folder, const fs::path& root) {
  const auto is_below = [&root](const fs::path& path) {
    const fs::path relative = path.lexically_relative(root);
    return !relative.empty() && relative != "." && *relative.begin() != "..";
  };
  while (is_below(folder) && rmdir(folder.c_str()) == 0) {
    folder = folder.parent_path();
  }
}

} // namespace

std::vector<std::string> removeRun(const StoredRun& run, const std::string& root) {
  std::vector<std::string> problems;
  std::set<fs::path> folders;
  for (const StoredFile& file : run.files) {
    if (!isStill(file)) {
      continue;
    }
    if (unlink(file.path.c_str()) != 0 && errno != ENOENT) {
      problems.push_back(file.path + ": " + std::error_code(errno, std::generic_category()).message());
    }
    folders.insert(fs::path(file.path).lexically_normal().parent_path());
  }
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) { // a folder after those in it
    removeEmptyFolders(*folder, (fs::path(root) / "").lexically_normal().parent_path());
  }
  return problems;
}

} // namespace commtap
