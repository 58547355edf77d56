// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "report/base/process.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/ledger_reader/ledger_records.h"
#include "report/runs/report_paths.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAgain = ".run-";
constexpr int kMaxRuns = 10'000; ///< of one name in a folder
constexpr int kMaxLooks = 4096;  ///< names that a process of a job looks at
constexpr int kMaxRead = 16;     ///< files; one is enough unless a run of this name ended before

/// Returns the number of the run among those of its name, and sets `name`; 1 for an id without a number.
int splitRunId(const std::string& run_id, std::string& name) {
  const size_t at = run_id.rfind(kAgain);
  name = run_id;
  if (at == std::string::npos) {
    return 1;
  }
  int number = 0;
  const char* end = run_id.data() + run_id.size();
  const auto [stop, error] = std::from_chars(run_id.data() + at + kAgain.size(), end, number);
  if (error != std::errc() || stop != end || number < 2) {
    return 1;
  }
  name.resize(at);
  return number;
}

std::string nextRunId(const std::string& run_id) {
  std::string name;
  const int number = splitRunId(run_id, name);
  return name + std::string(kAgain) + std::to_string(number + 1);
}

std::string restOf(const std::string& pattern) {
  return pattern.substr(startOfVariable(pattern).value_or(pattern.size()));
}

std::string inside(const std::string& folder, const std::string& rest, const OutputIdentity& process) {
  return rest.empty() ? folder : folder + "/" + expandOutputPattern(rest, process);
}

/// Returns the folder of a run that is not the first.
std::string folderOfId(const std::string& common, const std::string& run_id) {
  return common + "/" + expandOutputPattern("%j", {"", 0, -1, run_id, 0});
}

/// Returns the reports and ledgers of the run that has a folder, ledgers first: they show that a process lives. Looks
/// into the folders that `rest` makes and into those of attempts, not into those of other runs.
std::vector<std::string> filesIn(const std::string& folder, const std::string& rest) {
  const int levels = rest.empty() ? 0 : static_cast<int>(std::count(rest.begin(), rest.end(), '/')) + 1;
  std::vector<std::string> ledgers;
  std::vector<std::string> reports;
  int names = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && ++names <= kMaxLooks; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (entry.depth() >= levels && !name.starts_with("attempt-")) {
      entry.disable_recursion_pending();
    }
    if ((name.starts_with("rank-") || name.starts_with("pid-")) && isReportName(name)) {
      (name.ends_with(".ledger") ? ledgers : reports).push_back(entry->path());
    }
  }
  ledgers.insert(ledgers.end(), reports.rbegin(), reports.rend());
  return ledgers;
}

Result<Job> jobOf(const std::string& path) {
  if (!path.ends_with(".ledger")) {
    return jobOfReportFile(path);
  }
  if (std::string error = whyNotInput(path); !error.empty()) {
    return Result<Job>::failure(std::move(error));
  }
  Result<LedgerContents> contents = catchErrors<LedgerContents>(path, [&path] { return readLedgerFile(path); });
  return contents ? Result<Job>(std::move(contents->report.job)) : Result<Job>::failure(contents.error());
}

} // namespace

/// A file that only one process can create. Not a lock of the system: a network file system may have none.
class RunFolder::Lock {
 public:
  /// Waits for at most two seconds: a process that was killed with the lock must not stop others.
  explicit Lock(const std::string& folder) : path_(folder + "/commtap-first-run.lock") {
    constexpr int kTries = 200;
    constexpr useconds_t kPauseUs = 10'000;
    for (int tried = 0; tried < kTries; ++tried) {
      const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
      if (file.isOpen() || errno != EEXIST) {
        return;
      }
      usleep(kPauseUs);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    unlink(path_.c_str());
  }

 private:
  std::string path_;
};

std::string nameOfRun(const std::string& run_id) {
  std::string name;
  splitRunId(run_id, name);
  return name;
}

RunFolder::RunFolder(const std::string& pattern, const OutputIdentity& process, uint64_t began_ns)
    : process_(process), began_ns_(began_ns), rest_(restOf(pattern)) {
  const std::string common = commonFolder(pattern, process.run_id);
  if (error_ = makeFolders(common); !error_.empty()) {
    return;
  }
  path_ = common;
  const Occupant occupant = occupantOfCommonFolder(common);
  if (occupant != Occupant::kNone) {
    lock_.reset();
  }
  if (occupant == Occupant::kEarlierRun) {
    process_.run_id = nextRunId(process_.run_id);
  }
  if (occupant != Occupant::kNone && occupant != Occupant::kThisRun) {
    findAmongLaterRuns(common);
  }
  path_ = inside(path_, rest_, process_);
}

RunFolder::~RunFolder() = default;

/// An empty folder goes to the process that has the lock. The previous holder has left a complete ledger.
RunFolder::Occupant RunFolder::occupantOfCommonFolder(const std::string& common) {
  const Occupant first = occupantOf(common);
  if (first != Occupant::kNone) {
    return first;
  }
  lock_ = std::make_unique<Lock>(common);
  return occupantOf(common);
}

void RunFolder::findAmongLaterRuns(const std::string& common) {
  for (int nth = 0; nth < kMaxRuns; ++nth) {
    path_ = folderOfId(common, process_.run_id);
    if (mkdir(path_.c_str(), 0775) == 0) { // as makeFolders()
      return;
    }
    if (errno != EEXIST) {
      error_ = path_ + ": " + std::strerror(errno);
      return;
    }
    std::error_code error;
    const Occupant occupant = fs::is_directory(path_, error) ? occupantOf(path_) : Occupant::kOtherRun;
    if (occupant == Occupant::kNone || occupant == Occupant::kThisRun) {
      return;
    }
    process_.run_id = nextRunId(process_.run_id);
  }
}

RunFolder::Occupant RunFolder::occupantOf(const std::string& folder) const {
  bool has_ended = false;
  bool may_run = false;
  int read = 0;
  for (const std::string& path : filesIn(folder, rest_)) {
    const Result<Job> job = jobOf(path);
    if (!job) { // a pipe, another program's file, or a ledger in the making shows no run
      continue;
    }
    if (job->run_id != process_.run_id) {
      return Occupant::kOtherRun;
    }
    if (wasAliveIn(*job)) {
      return Occupant::kThisRun;
    }
    // Earlier attempts of a run end before a new host joins it.
    const bool may_be_ours =
        job->exit == ExitKind::kRunning || (job->attempt < process_.attempt && job->host != process_.host);
    may_run = may_run || may_be_ours;
    has_ended = has_ended || !may_be_ours;
    if (++read == kMaxRead) {
      break;
    }
  }
  if (has_ended) {
    return Occupant::kEarlierRun;
  }
  return may_run ? Occupant::kThisRun : Occupant::kNone;
}

/// Returns whether a process was alive after this run had begun.
bool RunFolder::wasAliveIn(const Job& job) const {
  // A killed process has no end time; it is only known to have run at its start.
  const uint64_t last_seen = job.ended_at_ns.value_or(job.started_at_ns);
  return last_seen + (job.host == process_.host ? 0 : kClocksNs) >= began_ns_;
}

std::vector<std::string> foldersOfRun(const std::string& pattern, const OutputIdentity& process) {
  const std::string common = commonFolder(pattern, process.run_id);
  const std::string rest = restOf(pattern);
  std::vector<std::string> folders = {inside(common, rest, process)};
  std::string run_id = process.run_id;
  for (int nth = 0; nth < kMaxRuns; ++nth, run_id = nextRunId(run_id)) {
    const std::string folder = folderOfId(common, run_id);
    if (access(folder.c_str(), F_OK) == 0) {
      folders.push_back(inside(folder, rest, process));
    } else if (nth > 0) { // the first run of the name may have the common folder
      break;
    }
  }
  std::reverse(folders.begin(), folders.end());
  return folders;
}

bool isForeign(const std::string& path) {
  constexpr size_t kEnough = 256; // bytes
  const Result<std::string> start = readStartOfInput(path, kEnough);
  return start && !schemaOf(*start).value_or("").starts_with("commtap") && !isLedgerFile(path);
}

size_t addForeign(const std::vector<std::string>& errors, std::vector<std::string>& problems) {
  constexpr size_t kMostNamed = 3;
  if (errors.size() <= kMostNamed) {
    problems.insert(problems.end(), errors.begin(), errors.end());
    return 0;
  }
  problems.push_back(std::to_string(errors.size()) + " files are not commtap's, among them " + errors.front());
  return errors.size() - 1;
}

} // namespace commtap
