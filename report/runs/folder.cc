// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include "report/base/file_descriptor.h"
#include "report/base/process.h"
#include "report/base/text_file.h"
#include "report/json/report_head.h"
#include "report/json/report_json.h"
#include "report/ledger/ledger_image.h"
#include "report/ledger/ledger_reader.h"
#include "report/runs/output.h"
#include "report/runs/report_file.h"
#include "report/runs/report_paths.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

Result<ReportFile> readOne(const std::string& path) {
  if (isLedgerFile(path) || fs::path(path).extension() == ".ledger") {
    Result<LedgerContents> contents = readLedgerFile(path);
    if (!contents) {
      return Result<ReportFile>::failure(contents.error());
    }
    return ReportFile{path, true, std::move(contents->report)};
  }
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<ReportFile>::failure(text.error());
  }
  Result<Report> report = reportFromJson(*text);
  if (!report) {
    return Result<ReportFile>::failure(path + ": " + report.error());
  }
  return ReportFile{path, false, std::move(*report)};
}

/// A process that ended normally may be seen twice, while its ledger is on its way out.
void dropDoubles(std::vector<ReportFile>& files) {
  std::set<ProcessKey> finished;
  for (const ReportFile& file : files) {
    if (!file.is_ledger) {
      finished.insert(processKeyOf(file.report.job));
    }
  }
  std::erase_if(files, [&](const ReportFile& file) {
    return file.is_ledger && finished.count(processKeyOf(file.report.job)) > 0;
  });
}

std::string newestRun(const std::vector<ReportFile>& files) {
  const auto newest = std::max_element(files.begin(), files.end(), [](const ReportFile& a, const ReportFile& b) {
    return a.report.job.started_at_ns < b.report.job.started_at_ns;
  });
  return newest == files.end() ? "" : newest->report.job.run_id;
}

/// Reads what is in `paths` and not in `done`. True if something went away before it could be read.
bool readNew(
    const std::vector<std::string>& paths,
    const Progress& progress,
    std::set<std::string>& done,
    ReportFolder& folder) {
  bool missed = false;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!done.insert(paths[i]).second) {
      continue;
    }
    Result<ReportFile> file = readOne(paths[i]);
    if (file) {
      folder.files.push_back(std::move(*file));
    } else if (vanished(paths[i])) {
      missed = true;
    } else if (folder.is_one_file || !isOtherDocument(paths[i])) {
      folder.problems.push_back(file.error());
    }
    if (progress) {
      progress(i + 1, paths.size());
    }
  }
  return missed;
}

void readAll(const std::string& path, const Progress& progress, ReportFolder& folder) {
  // A process that ends meanwhile puts a JSON in its ledger's place: look again for what came instead.
  constexpr int kMaxLooks = 10;
  std::set<std::string> done;
  bool missed = true;
  for (int look = 0; missed && look < kMaxLooks; ++look) {
    missed = readNew(pathsToRead(path, folder.problems), progress, done, folder);
  }
}

auto sortKey(const ReportFile& file) {
  const Job& job = file.report.job;
  return std::tuple(job.attempt, !job.rank.has_value(), job.rank.value_or(0), job.host, job.pid);
}

/// The report's name as the ledger gives it, without a way out of the folder; a damaged ledger may have lost it.
std::string nameOfReport(const LedgerContents& contents) {
  const std::string name = fs::path(contents.report_name).filename();
  const Job& job = contents.report.job;
  return name.empty() || name == "?" ? reportName({job.host, job.pid, job.rank.value_or(-1), "", 0}) : name;
}

/// A ledger file that one process at a time turns into a report. Who dies meanwhile leaves it to the next.
class LedgerClaim {
 public:
  explicit LedgerClaim(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat held {};
    struct stat named {};
    const bool is_taken = file_.isLockedByAnother();
    is_ours_ = file_.isOpen() && !is_taken && fstat(file_.get(), &held) == 0 && stat(path.c_str(), &named) == 0 &&
               held.st_ino == named.st_ino && held.st_dev == named.st_dev; // else it was made a report before the lock
  }

  bool isOurs() const {
    return is_ours_;
  }

 private:
  FileDescriptor file_;
  bool is_ours_ = false;
};

/// The path of the report made; "" if the process may still be running, or if another process makes the report.
/// `by`: whose children and run alone are meant; nullptr for all.
Result<std::string> recoverLedger(const std::string& path, const OutputIdentity* by) {
  const LedgerClaim claim(path);
  if (!claim.isOurs() && access(path.c_str(), R_OK) == 0) {
    return std::string();
  }
  const Result<LedgerContents> contents = readLedgerFile(path);
  if (!contents) {
    return Result<std::string>::failure(contents.error());
  }
  const Job& job = contents->report.job;
  const bool is_meant = by == nullptr || job.run_id == by->run_id || contents->parent_pid == by->pid;
  if (job.exit == ExitKind::kRunning || !is_meant) {
    return std::string();
  }
  std::string folder = fs::path(path).parent_path();
  folder = folder.empty() ? "." : folder;
  Result<std::string> written =
      writeReportFile(folder, nameOfReport(*contents), contents->report, contents->run_began_ns);
  if (written) {
    unlink(path.c_str());
  }
  return written;
}

/// By its name, on this host.
bool isLedgerOfTheDead(const std::string& name, const std::string& host) {
  const std::optional<uint64_t> pid = pidOfLedger(name, host);
  return pid && !processStartTicks(*pid);
}

bool isOwn(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && info.st_uid == geteuid();
}

/// Names alone: most of a job's processes live, and in a folder of many thousands nobody but the tools should look.
std::vector<std::string> ledgersOfTheDead(const std::string& folder, const std::string& host) {
  constexpr int kMaxNames = 4096;
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

} // namespace

Result<ReportFolder>
readReports(const std::string& path, const Progress& progress, const std::optional<std::string>& run_id) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Result<ReportFolder>::failure(path + " does not exist");
  }
  ReportFolder folder;
  folder.is_one_file = !fs::is_directory(path, error);
  readAll(path, progress, folder);
  dropDoubles(folder.files);
  if (folder.files.empty()) {
    return Result<ReportFolder>::failure(
        folder.problems.empty() ? path + " holds no report: did the job make a collective with commtap preloaded?"
                                : folder.problems.front());
  }
  const std::string kept = run_id ? *run_id : newestRun(folder.files);
  folder.other_runs =
      std::erase_if(folder.files, [&](const ReportFile& file) { return file.report.job.run_id != kept; });
  std::sort(folder.files.begin(), folder.files.end(), [](const ReportFile& a, const ReportFile& b) {
    return sortKey(a) < sortKey(b);
  });
  return folder;
}

std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems) {
  std::vector<std::string> made;
  for (const std::string& path : reportPaths(folder, problems)) {
    if (fs::path(path).extension() != ".ledger") {
      continue;
    }
    const Result<std::string> report_path = recoverLedger(path, nullptr);
    if (!report_path && !vanished(path)) { // else another recovery was faster
      problems.push_back(report_path.error());
    } else if (report_path && !report_path->empty()) {
      made.push_back(*report_path);
    }
  }
  return made;
}

void recoverLedgersOfRun(const std::string& folder, const OutputIdentity& process) {
  for (const std::string& path : ledgersOfTheDead(folder, process.host)) {
    recoverLedger(path, &process);
  }
}

std::vector<std::string> pathsToRead(const std::string& path, std::vector<std::string>& problems) {
  std::vector<std::string> paths = reportPaths(path, problems);
  const std::string host = hostName();
  for (const std::string& found : paths) {
    if (found != path && isLedgerOfTheDead(fs::path(found).filename(), host) && isOwn(found)) {
      recoverLedger(found, nullptr);
    }
  }
  return paths;
}

} // namespace commtap
