// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/base/duration.h"

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

} // namespace commtap
