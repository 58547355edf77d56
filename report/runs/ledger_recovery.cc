// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/ledger_recovery.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "report/base/file_descriptor.h"
#include "report/base/held_file.h"
#include "report/base/process.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/runs/output.h"
#include "report/runs/report_file.h"
#include "report/runs/report_paths.h"
#include "report/runs/run_folder.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxNames = 4096; ///< that a process of a job looks at

/// Returns the report's name from the ledger, without a path that leaves the folder. A damaged ledger may lack it.
std::string nameOfReport(const LedgerContents& contents) {
  const std::string name = fs::path(contents.report_name).filename();
  const Job& job = contents.report.job;
  return name.empty() || name == "?" ? reportName({job.host, job.pid, job.rank.value_or(-1), "", 0}) : name;
}

/// Claims a ledger file for conversion; one process at a time holds it, until it closes the file. If that process dies,
/// the next one claims the file.
bool claim(const HeldFile& file, const std::string& path) {
  return !file.descriptor().isLockedByAnother() &&
         identityAt(AT_FDCWD, path) == identityOf(file.facts()); // else converted before the lock
}

/// Returns the path of the new report; "" if the process may still run or another process converts the ledger. `by`
/// limits the recovery to this process's children and run; nullptr for all.
Result<std::string> recoverLedger(const std::string& path, const OutputIdentity* by) {
  if (std::string error = whyNotInput(path); !error.empty()) {
    return Result<std::string>::failure(std::move(error));
  }
  const HeldFile file(AT_FDCWD, path);
  if (!file.isOpen()) {
    return Result<std::string>::failure(path + " cannot be opened, or is a link");
  }
  if (!claim(file, path)) {
    return std::string();
  }
  const Result<LedgerContents> contents =
      catchErrors<LedgerContents>(path, [&] { return readLedgerFile(path, file.descriptor()); });
  if (!contents) {
    return Result<std::string>::failure(contents.error());
  }
  const Job& job = contents->report.job;
  const bool is_meant =
      by == nullptr || nameOfRun(job.run_id) == nameOfRun(by->run_id) || contents->parent_pid == by->pid;
  if (job.exit == ExitKind::kRunning || !is_meant) {
    return std::string();
  }
  std::string folder = fs::path(path).parent_path();
  folder = folder.empty() ? "." : folder;
  Result<std::string> written = writeReportFile(folder, nameOfReport(*contents), contents->report);
  if (written) {
    removeFile(AT_FDCWD, path, identityOf(file.facts()));
  }
  return written;
}

/// Returns whether `name` is a ledger of this host whose process has exited.
bool isLedgerOfTheDead(const std::string& name, const std::string& host) {
  const std::optional<uint64_t> pid = pidOfLedger(name, host);
  return pid && !processStartTicks(*pid);
}

bool isOwn(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && info.st_uid == geteuid();
}

/// Returns the folders in which files were made last. One of them may be the run's: see RunFolder.
std::vector<std::string> newestFoldersIn(const std::string& folder) {
  constexpr size_t kMost = 8;
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  int names = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator() && ++names <= kMaxNames;
       entry.increment(error)) {
    std::error_code no_folder;
    const bool is_attempt = entry->path().filename().string().starts_with("attempt-"); // ledgersOfTheDead() looks there
    if (!is_attempt && entry->is_directory(no_folder) && !entry->is_symlink(no_folder)) {
      found.emplace_back(entry->last_write_time(no_folder), entry->path());
    }
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> newest;
  for (size_t i = 0; i < std::min(found.size(), kMost); ++i) {
    newest.push_back(found[i].second);
  }
  return newest;
}

} // namespace

std::vector<std::string> ledgersOfProcess(const std::string& folder, const std::string& host, uint64_t pid) {
  constexpr int kMaxDepth = 3; // of a folder per run, one per rank, and one per attempt
  std::vector<std::string> found;
  int names = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && ++names <= kMaxNames; entry.increment(error)) {
    if (pidOfLedger(entry->path().filename(), host) == pid) {
      found.push_back(entry->path());
    }
    if (entry.depth() == kMaxDepth) {
      entry.disable_recursion_pending();
    }
  }
  return found;
}

std::vector<std::string> ledgersOfTheDead(const std::string& folder, const std::string& host) {
  std::vector<std::string> found;
  std::vector<std::string> folders = {folder};
  int names = 0;
  for (size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    for (fs::directory_iterator entry(folders[i], error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().filename();
      if (++names > kMaxNames) {
        return found;
      }
      if (isLedgerOfTheDead(name, host)) {
        found.push_back(entry->path());
      } else if (i == 0 && name.starts_with("attempt-")) {
        folders.push_back(entry->path());
      }
    }
  }
  return found;
}

std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems) {
  std::vector<std::string> made;
  for (const std::string& path : reportPaths(folder, problems)) {
    if (fs::path(path).extension() != ".ledger") {
      continue;
    }
    const Result<std::string> report_path = recoverLedger(path, nullptr);
    if (!report_path && !vanished(path)) { // else another process converted it
      problems.push_back(report_path.error());
    } else if (report_path && !report_path->empty()) {
      made.push_back(*report_path);
    }
  }
  return made;
}

void recoverLedgersOfRun(const std::string& folder, const OutputIdentity& process) {
  std::vector<std::string> folders = newestFoldersIn(folder);
  folders.push_back(folder);
  for (const std::string& each : folders) {
    for (const std::string& path : ledgersOfTheDead(each, process.host)) {
      recoverLedger(path, &process);
    }
  }
}

void recoverOrphanedLedgers(const std::string& path) {
  std::vector<std::string> problems; // the reader of the folder reports them
  const std::string host = hostName();
  for (const std::string& found : reportPaths(path, problems)) {
    if (found != path && isLedgerOfTheDead(fs::path(found).filename(), host) && isOwn(found)) {
      recoverLedger(found, nullptr);
    }
  }
}

} // namespace commtap
