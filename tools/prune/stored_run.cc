// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "report/base/file_descriptor.h"
#include "report/base/held_file.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "report/runs/report_paths.h"
#include "report/runs/run_folder.h"
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

namespace {

bool isOlder(const StoredRun& run, uint64_t now_ns, uint64_t age_ns) {
  return run.changed_at_ns < now_ns && now_ns - run.changed_at_ns > age_ns;
}

/// Returns the list of the plan that says why an unwanted run stays; null if it goes.
std::vector<std::string>* reasonToStay(const StoredRun& run, uint64_t now_ns, PrunePlan& plan) {
  if (!isOlder(run, now_ns, kJustChangedNs)) {
    return &plan.just_changed;
  }
  if (run.has_ledger) {
    return &plan.with_ledgers;
  }
  return run.may_have_a_ledger ? &plan.undecided : nullptr;
}

} // namespace

PrunePlan planPrune(std::vector<StoredRun> runs, const Retention& retention, uint64_t now_ns) {
  PrunePlan plan;
  plan.kept_bytes = std::accumulate(
      runs.begin(), runs.end(), uint64_t{0}, [](uint64_t sum, const StoredRun& run) { return sum + run.bytes; });
  for (StoredRun& run : runs) {
    const bool is_too_old = retention.keep_ns && isOlder(run, now_ns, *retention.keep_ns);
    const bool is_too_much = retention.max_bytes && plan.kept_bytes > *retention.max_bytes;
    if (!is_too_old && !is_too_much) {
      ++plan.kept_runs;
    } else if (std::vector<std::string>* reason = reasonToStay(run, now_ns, plan)) {
      ++plan.kept_runs;
      reason->push_back(run.run_id);
    } else {
      plan.kept_bytes -= run.bytes;
      plan.removed.push_back(std::move(run));
    }
  }
  return plan;
}

namespace {

/// A path below a folder: the path of its own folder, and its name there.
struct Place {
  std::string folder; ///< "": the folder itself
  std::string name;
};

Place placeOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? Place{"", path} : Place{path.substr(0, slash), path.substr(slash + 1)};
}

/// Returns the path from `root` of a path that was found by listing `root`. By its text: the system alone knows what
/// ".." after a link means.
std::string below(const std::string& root, const std::string& path) {
  const size_t begin = path.find_first_not_of('/', root.size());
  return begin == std::string::npos ? "" : path.substr(begin);
}

/// Returns the run of a whole report.
Result<std::string> runOfReport(const HeldFile& file) {
  const Result<Report> report = catchErrors<Report>("it", [&] {
    const Result<std::string> text = readJsonInput("it", file.descriptor());
    return text ? wholeReportFromJson(*text) : Result<Report>::failure(text.error());
  });
  return report ? Result<std::string>(report->job.run_id) : Result<std::string>::failure(report.error());
}

Result<std::string> runOfSamples(const HeldFile& file) {
  const Result<ProcessSamples> samples = readSamplesFile("it", file.descriptor());
  if (!samples || !samples->damage.empty()) {
    return Result<std::string>::failure(samples ? "it: " + samples->damage : samples.error());
  }
  return samples->job.run_id;
}

/// Removes one run's files below an open folder.
class RunRemover {
 public:
  RunRemover(const StoredRun& run, const std::string& root, bool is_dry_run)
      : run_(run),
        root_path_(root),
        is_dry_run_(is_dry_run),
        root_(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  Removal removeAll() {
    for (const StoredFile& file : run_.files) {
      remove(file);
    }
    for (auto folder = emptied_.rbegin(); folder != emptied_.rend(); ++folder) { // a folder after those in it
      removeEmptyFolders(folder->first, folder->second);
    }
    return std::move(removal_);
  }

 private:
  void remove(const StoredFile& stored) {
    const Place place = placeOf(below(root_path_, stored.path));
    const FileDescriptor folder(openFolderBelow(root_.get(), place.folder));
    if (!folder.isOpen()) {
      return notOpened(stored);
    }
    const HeldFile file(folder.get(), place.name);
    if (!file.isOpen()) {
      return notOpened(stored);
    }
    const Result<std::string> run_id = stored.is_samples ? runOfSamples(file) : runOfReport(file);
    if (!run_id) {
      return keep(stored, run_id.error());
    }
    if (*run_id != run_.run_id || changedAtNs(file.facts()) > run_.changed_at_ns) {
      return keep(stored, "");
    }
    if (const std::string problem = is_dry_run_ ? "" : file.remove(); !problem.empty()) {
      return keep(stored, problem);
    }
    ++removal_.files;
    removal_.bytes += stored.bytes;
    noteFolder(place.folder, folder);
  }

  /// `problem`: "" if the file is of another run, or new.
  void keep(const StoredFile& stored, const std::string& problem) {
    ++removal_.kept_files;
    removal_.kept_bytes += stored.bytes;
    if (!problem.empty()) {
      removal_.problems.push_back(stored.path + " stays: " + problem);
    }
  }

  void notOpened(const StoredFile& stored) {
    if (errno != ENOENT) { // else it is gone
      keep(stored, std::string("it cannot be opened: ") + std::strerror(errno));
    }
  }

  void noteFolder(const std::string& path, const FileDescriptor& folder) {
    if (struct stat facts{}; !is_dry_run_ && fstat(folder.get(), &facts) == 0) {
      emptied_[path] = identityOf(facts);
    }
  }

  /// Deletes empty folders, from `path` up to but without the root. Deletes only the folder in which a report was, and
  /// those above it: a path may name another one by now.
  void removeEmptyFolders(std::string path, FileIdentity folder) {
    while (!path.empty()) {
      const Place place = placeOf(path);
      const FileDescriptor above(openFolderBelow(root_.get(), place.folder));
      struct stat facts {};
      if (identityAt(above.get(), place.name) != folder || fstat(above.get(), &facts) != 0 ||
          unlinkat(above.get(), place.name.c_str(), AT_REMOVEDIR) != 0) {
        return;
      }
      path = place.folder;
      folder = identityOf(facts);
    }
  }

  const StoredRun& run_;
  const std::string& root_path_;
  bool is_dry_run_;
  FileDescriptor root_;
  Removal removal_;
  std::map<std::string, FileIdentity> emptied_; ///< folders by their path from the root
};

} // namespace

Removal removeRun(const StoredRun& run, const std::string& root, bool is_dry_run) {
  return RunRemover(run, root, is_dry_run).removeAll();
}

} // namespace commtap
