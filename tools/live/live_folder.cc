// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/live_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/base/timestamp.h"
#include "report/json/inert_row.h"
#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/merge/job_merge.h"
#include "report/runs/report_scan.h"
#include "report/runs/run_folder.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

} // namespace

LiveReports LiveFolder::read(Clock::time_point now) {
  // The scan may have missed both files of a process that ended during it; its report exists now.
  if (scan(now)) {
    scan(now);
  }
  return collect(now);
}

/// Returns true if the ledger of a process that was running has disappeared.
bool LiveFolder::scan(Clock::time_point now) {
  for (auto& [path, file] : files_) {
    file.seen = false;
  }
  std::error_code error;
  fs::recursive_directory_iterator entry(path_, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string extension = entry->path().extension();
    if (extension == ".ledger" || extension == ".json") {
      look(entry->path(), now);
    }
  }
  const bool missed = std::any_of(
      files_.begin(), files_.end(), [](const auto& item) { return item.second.running && !item.second.seen; });
  std::erase_if(files_, [](const auto& item) { return !item.second.seen; });
  return missed;
}

void LiveFolder::look(const std::string& path, Clock::time_point now) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return;
  }
  File& file = files_[path];
  const auto modified = Clock::from_time_t(info.st_mtime);
  const bool same =
      file.inode == info.st_ino && file.modified == modified && file.size == static_cast<uint64_t>(info.st_size);
  if (file.inode != info.st_ino) {
    file = File{};
  }
  file.seen = true;
  file.inode = info.st_ino;
  file.modified = modified;
  file.size = static_cast<uint64_t>(info.st_size);
  if (file.foreign) {
    return;
  }
  if (path.ends_with(".ledger")) {
    readLedger(path, file, now);
  } else if (modified + keep_ <= now) {
    file.report = nullptr;
    file.problem.clear();
  } else if (!same) {
    file.ended_at = modified;
    readReport(path, file);
  }
}

void LiveFolder::readLedger(const std::string& path, File& file, Clock::time_point now) {
  Result<LedgerContents> contents = catchErrors<LedgerContents>(path, [&path] {
    std::string error = whyNotInput(path);
    return error.empty() ? readLedgerFile(path) : Result<LedgerContents>::failure(std::move(error));
  });
  std::error_code error;
  if (!contents) {
    file.seen = fs::exists(path, error); // otherwise the process has ended since it was listed
    setProblem(path, contents.error(), file);
    return;
  }
  const bool running = contents->report.job.exit == ExitKind::kRunning;
  if (!running && (file.running || file.report == nullptr)) {
    // The modification time may be older than the end: some file systems do not update it for mapped files.
    file.ended_at = file.running ? now : file.modified;
  }
  file.running = running;
  take(std::move(contents->report), file);
}

void LiveFolder::readReport(const std::string& path, File& file) {
  Result<Report> report = reader_.read(path, ReportDepth::kAll);
  if (report) {
    take(std::move(*report), file);
    return;
  }
  file.report = nullptr;
  if (!isOtherDocument(path)) {
    setProblem(path, report.error(), file);
  }
}

void LiveFolder::setProblem(const std::string& path, const std::string& problem, File& file) {
  file.problem = problem;
  file.is_ours = !isForeign(path);
}

void LiveFolder::take(Report report, File& file) {
  file.problem.clear();
  makeInertReport(report);
  file.foreign = report.job.host != host_;
  file.running = file.running && !file.foreign;
  file.report = file.foreign ? nullptr : std::make_shared<const Report>(std::move(report));
}

void LiveFolder::collectProblems(LiveReports& live) const {
  std::vector<std::string> foreign;
  for (const auto& [path, file] : files_) {
    if (!file.problem.empty()) {
      (file.is_ours ? live.problems : foreign).push_back(file.problem);
    }
  }
  live.unreadable = live.problems.size() + foreign.size();
  addForeign(foreign, live.problems);
}

LiveReports LiveFolder::collect(Clock::time_point now) {
  LiveReports live;
  collectProblems(live);
  std::vector<ProcessFile> files;
  std::vector<std::shared_ptr<const Report>> reports;
  for (const auto& [path, file] : files_) {
    if (file.problem.empty() && file.report != nullptr && (file.running || file.ended_at + keep_ > now)) {
      const bool is_ledger = path.ends_with(".ledger");
      files.push_back({path, &file.report->job, is_ledger, is_ledger ? callsOf(*file.report) : 0});
      reports.push_back(file.report);
    }
  }
  std::vector<std::string> copies;
  for (const size_t i : oneFilePerProcess(files, copies)) {
    live.reports.push_back(std::move(reports[i]));
  }
  std::copy_if(copies.begin(), copies.end(), std::back_inserter(live.copies), [this](const std::string& line) {
    return said_copies_.insert(line).second;
  });
  std::sort(live.reports.begin(), live.reports.end(), [](const auto& a, const auto& b) {
    return comesBefore(a->job, b->job);
  });
  return live;
}

uint64_t idleSeconds(std::span<const Report* const> reports, uint64_t now_ns) {
  uint64_t last = 0;
  for (const Report* report : reports) {
    last = std::max(last, lastActivityNs(*report));
  }
  return now_ns > last ? (now_ns - last) / kNsPerSecond : 0;
}

} // namespace commtap
