// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "report/runs/output.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

void noteUnreadable(const fs::path& folder, std::vector<std::string>& problems) {
  if (faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    problems.push_back("cannot read the folder " + folder.string() + ": " + std::strerror(errno));
  }
}

} // namespace

bool isReportName(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  return name.extension() == ".ledger" ||
         std::any_of(kReportEndings.begin(), kReportEndings.end(), [&name](std::string_view ending) {
           return name.native().ends_with(ending);
         });
}

std::vector<std::string> reportPaths(const std::string& path, std::vector<std::string>& problems) {
  return filesBelow(path, isReportName, problems);
}

std::vector<std::string> filesBelow(
    const std::string& path,
    const std::function<bool(const std::string& path)>& wanted,
    std::vector<std::string>& problems) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> paths;
  noteUnreadable(path, problems);
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code no_file;
    if (entry->symlink_status(no_file).type() == fs::file_type::directory) {
      noteUnreadable(entry->path(), problems);
    } else if (entry->is_regular_file(no_file) && wanted(entry->path())) {
      paths.push_back(entry->path());
    }
  }
  if (error) {
    problems.push_back(path + " could not be listed to its end: " + error.message());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool vanished(const std::string& path) {
  std::error_code error;
  return !fs::exists(path, error) && !error;
}

ProcessKey processKeyOf(const Job& job) {
  constexpr uint64_t kNsPerMicrosecond = 1000; // JSON holds no finer time
  return {job.run_id, job.attempt, job.host, job.pid, job.started_at_ns / kNsPerMicrosecond};
}

std::vector<std::string> placesAfter(const std::string& ledger_path, const Job& job) {
  const std::string suffix = ledgerFileName("", {job.host, job.pid, -1, "", 0});
  if (!ledger_path.ends_with(suffix)) {
    return {};
  }
  const std::string base = ledger_path.substr(0, ledger_path.size() - suffix.size());
  std::vector<std::string> places;
  for (const std::string& name : {base, base + ".pid-" + std::to_string(job.pid)}) {
    for (const std::string_view ending : kReportEndings) {
      places.push_back(name + std::string(ending));
    }
  }
  return places;
}

namespace {

constexpr size_t kMostNamed = 10;

/// Returns the first ids, with names if `with_names`: "a" (baseline), "b".
std::string namesOf(const std::vector<FoundRun>& runs, bool with_names) {
  std::string text;
  for (size_t i = 0; i < std::min(runs.size(), kMostNamed); ++i) {
    text += (i == 0 ? "\"" : ", \"") + runs[i].run_id + "\"";
    text += with_names && !runs[i].name.empty() ? " (" + runs[i].name + ")" : "";
  }
  return text;
}

template <typename Fits>
std::vector<FoundRun> fitting(const std::vector<FoundRun>& runs, const Fits& fits) {
  std::vector<FoundRun> found;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(found), fits);
  return found;
}

} // namespace

std::vector<FoundRun> runsMeant(const std::vector<FoundRun>& runs, const std::string& text) {
  std::vector<FoundRun> found = fitting(runs, [&text](const FoundRun& run) { return run.run_id == text; });
  if (found.empty() && !text.empty()) {
    found = fitting(runs, [&text](const FoundRun& run) { return run.name == text; });
  }
  if (found.empty() && !text.empty()) {
    found = fitting(runs, [&text](const FoundRun& run) { return run.run_id.find(text) != std::string::npos; });
  }
  return found;
}

std::string notOneRun(const std::vector<FoundRun>& runs, const std::string& text) {
  const std::vector<FoundRun> found = runsMeant(runs, text);
  if (!found.empty()) {
    return "several runs match \"" + text + "\": " + namesOf(found, true) + ": give more of the id";
  }
  return "there is no report of run \"" + text + "\"" +
         (runs.empty() ? "" : "; the newest are " + namesOf(runs, false));
}

std::vector<std::string> samplesPaths(const std::string& path, std::vector<std::string>& problems) {
  return filesBelow(
      path, [](const std::string& name) { return name.ends_with(kSamplesEnding); }, problems);
}

} // namespace commtap
