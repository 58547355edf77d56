// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "report/base/duration.h"
#include "report/json/report_head.h"
#include "report/runs/foreign_files.h"
#include "report/runs/report_paths.h"
#include "report/runs/samples_paths.h"
#include "report/samples/samples_reader.h"

namespace commtap {
namespace {

constexpr uint64_t kBlockBytes = 512; ///< the unit of st_blocks

} // namespace

bool lookUp(uint64_t ended_at_ns, StoredFile& file) {
  struct stat info {};
  if (lstat(file.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return false;
  }
  file.bytes = static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
  file.changed_at_ns = std::max(changedAtNs(info), ended_at_ns);
  file.owner = info.st_uid;
  return true;
}

std::vector<StoredFile> storedFiles(const ReportScan& scan) {
  std::vector<StoredFile> files;
  for (const FoundReport& found : scan.reports) {
    StoredFile file{.path = found.path, .run_id = found.job.run_id, .is_ledger = found.is_ledger};
    if (lookUp(found.job.ended_at_ns.value_or(0), file)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::vector<StoredRun> storedRuns(std::vector<StoredFile> files) {
  std::map<std::string, StoredRun> by_id;
  for (StoredFile& file : files) {
    StoredRun& run = by_id[file.run_id];
    run.run_id = file.run_id;
    run.bytes += file.bytes;
    run.changed_at_ns = std::max(run.changed_at_ns, file.changed_at_ns);
    run.has_ledger = run.has_ledger || file.is_ledger;
    run.owners.insert(file.owner);
    run.files.push_back(std::move(file));
  }
  std::vector<StoredRun> runs;
  for (auto& [run_id, run] : by_id) {
    runs.push_back(std::move(run));
  }
  std::stable_sort(runs.begin(), runs.end(), [](const StoredRun& a, const StoredRun& b) {
    return a.changed_at_ns < b.changed_at_ns;
  });
  return runs;
}

uint64_t changedAtNs(const struct stat& facts) {
  return static_cast<uint64_t>(facts.st_mtim.tv_sec) * kNsPerSecond + static_cast<uint64_t>(facts.st_mtim.tv_nsec);
}

std::vector<StoredFile>
storedSamples(const std::string& folder, std::vector<std::string>& problems, const std::string& consequence) {
  std::vector<StoredFile> files;
  for (const std::string& path : samplesPaths(folder, problems)) {
    const Result<Job> job = jobOfSamplesFile(path);
    StoredFile file;
    file.path = path;
    file.is_samples = true;
    if (!job) {
      problems.push_back(job.error() + consequence);
    } else if (file.run_id = job->run_id; lookUp(0, file)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

namespace {

namespace fs = std::filesystem;

/// Looks through the folders below one, including those that cannot be listed.
class Search {
 public:
  explicit Search(ReportScan& scan) : scan_(scan) {
    for (const FoundReport& report : scan.reports) {
      read_.insert(report.path);
    }
  }

  std::vector<UnjudgedFile> below(const std::string& folder) {
    folders_ = {folder};
    while (!folders_.empty()) {
      const fs::path next = std::move(folders_.back());
      folders_.pop_back();
      std::error_code error;
      for (fs::directory_iterator entry(next, error); !error && entry != fs::directory_iterator();
           entry.increment(error)) {
        look(*entry);
      }
      if (error) {
        add(next, true);
      }
    }
    return std::move(found_);
  }

 private:
  void look(const fs::directory_entry& entry) {
    std::error_code error;
    const fs::path& path = entry.path();
    if (entry.symlink_status(error).type() == fs::file_type::directory) {
      folders_.push_back(path);
    } else if (isReportName(path) && !read_.contains(path)) {
      lookAgain(path, path.extension() == ".ledger");
    }
  }

  /// Looks at what the scan could not read, or what came after it.
  void lookAgain(const fs::path& path, bool is_ledger) {
    std::error_code error;
    if (Result<ReportScan> again = scanReports(path, nullptr, Copies::kKeep)) {
      std::move(again->reports.begin(), again->reports.end(), std::back_inserter(scan_.reports));
    } else if (is_ledger || (fs::is_regular_file(path, error) && !isOtherDocument(path) && !isForeign(path))) {
      add(path, is_ledger);
    }
  }

  void add(const fs::path& path, bool may_be_ledger) {
    if (struct stat facts{}; lstat(path.c_str(), &facts) == 0) { // else it is gone
      found_.push_back({path, facts.st_uid, S_ISREG(facts.st_mode) && facts.st_size == 0, may_be_ledger});
    }
  }

  ReportScan& scan_;
  std::set<fs::path> read_;
  std::vector<fs::path> folders_;
  std::vector<UnjudgedFile> found_;
};

} // namespace

std::vector<UnjudgedFile> findUnjudged(const std::string& path, ReportScan& scan) {
  return Search(scan).below(path);
}

void markUndecided(std::vector<UnjudgedFile>& unjudged, std::vector<StoredRun>& runs) {
  std::set<uid_t> owners = {geteuid()};
  for (StoredRun& run : runs) {
    owners.insert(run.owners.begin(), run.owners.end());
    run.may_have_a_ledger = std::any_of(unjudged.begin(), unjudged.end(), [&run](const UnjudgedFile& file) {
      return file.may_be_ledger && run.owners.contains(file.owner);
    });
  }
  std::erase_if(unjudged, [&owners](const UnjudgedFile& file) { return !owners.contains(file.owner); });
}

} // namespace commtap
