// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/off_switch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <vector>

#include "report/base/file_descriptor.h"
#include "report/base/process.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/model/work_end.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/run_folder.h"

namespace commtap {
namespace {

/// A rank that ends this often, without a report and one process after another, is in a crash loop.
constexpr size_t kCrashes = 3;
/// A process that lived longer counted well; its end is the job's, a time limit's or the machine's.
constexpr uint64_t kEarlyNs = 600'000'000'000;
/// An older ledger is of another try.
constexpr uint64_t kRecentNs = 3'600'000'000'000;
constexpr size_t kMaxRead = 32; ///< ledgers

constexpr const char* kSignature = "commtap " COMMTAP_VERSION " stays off in this run: ";

struct Life {
  uint64_t began_ns;
  uint64_t ended_ns; ///< CLOCK_REALTIME of the last change of its ledger
};

uint64_t lastChangeNs(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return 0;
  }
  return static_cast<uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(info.st_mtim.tv_nsec);
}

/// Returns whether commtap may have ended the process. A signal that the process sent to itself says which fault it
/// was: by abort(), or by a handler of the job that passes a fault on. A process that ended without a word had a fault,
/// or was killed from outside, unless its parent found SIGKILL. The launcher's signals explain that end: it kills all
/// ranks after any of them failed, on whatever host. A process whose calls have all completed was killed between them,
/// as Ray and others end workers.
bool mayBeOurFault(const LedgerContents& ledger) {
  constexpr std::array<int64_t, 5> kFaults = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  const Job& job = ledger.report.job;
  const bool may_be_fault = !job.exit_signal || std::ranges::find(kFaults, *job.exit_signal) != kFaults.end();
  if (!wasKilled(job)) {
    return job.exit == ExitKind::kSignal && may_be_fault;
  }
  const bool is_between_calls = !ledger.report.last.empty() && !hasCallUnderWay(ledger.report);
  return ledger.signal_sent == 0 && may_be_fault && !is_between_calls;
}

/// Returns how many of these lives followed each other. Processes that lived at the same time count once.
size_t countInSequence(std::vector<Life> lives) {
  std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) { return a.began_ns < b.began_ns; });
  size_t count = 0;
  uint64_t last_end = 0;
  for (const Life& life : lives) {
    count += life.began_ns >= last_end ? 1 : 0;
    last_end = std::max(last_end, life.ended_ns);
  }
  return count;
}

} // namespace

OffSwitch::OffSwitch(const std::string& pattern, const OutputIdentity& process)
    : folders_(foldersOfRun(pattern, process)),
      process_(process),
      path_(commonFolder(pattern, process.run_id) + "/commtap-off-" + expandOutputPattern("%j", process) + ".txt") {}

std::string OffSwitch::reasonToStayOff() const {
  struct stat info {};
  if (lstat(path_.c_str(), &info) == 0) {
    return setBefore();
  }
  std::string reason = repeatedCrashes();
  if (!reason.empty()) {
    set(reason);
  }
  return reason;
}

/// Accepts only a file that this user made, and only of this version: an upgrade is tried.
std::string OffSwitch::setBefore() const {
  const FileDescriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  char text[512] = {};
  if (!file.isOpen() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      read(file.get(), text, sizeof(text) - 1) <= 0) {
    return {};
  }
  const std::string line(text, std::find(text, text + sizeof(text), '\n'));
  return line.starts_with(kSignature) ? line.substr(std::string(kSignature).size()) : std::string();
}

/// The rank's ledgers are the evidence: a process that ends in order makes reports of those that lie there.
std::string OffSwitch::repeatedCrashes() const {
  const uint64_t now = wallClockNs();
  std::map<int64_t, std::vector<Life>> lives;
  std::vector<std::string> ledgers;
  for (size_t i = 0; i < folders_.size() && ledgers.size() < kMaxRead; ++i) {
    const std::vector<std::string> found = ledgersOfTheDead(folders_[i], process_.host);
    ledgers.insert(ledgers.end(), found.begin(), found.end());
  }
  ledgers.resize(std::min(ledgers.size(), kMaxRead));
  for (const std::string& path : ledgers) {
    const uint64_t ended = lastChangeNs(path);
    const Result<LedgerContents> ledger = readLedgerFile(path);
    if (!ledger || nameOfRun(ledger->report.job.run_id) != nameOfRun(process_.run_id) || !mayBeOurFault(*ledger)) {
      continue;
    }
    const Job& job = ledger->report.job;
    const bool is_early = ended < job.started_at_ns + kEarlyNs && now < ended + kRecentNs;
    const bool is_meant = job.rank && (process_.rank < 0 || process_.rank == *job.rank);
    if (is_early && is_meant) {
      lives[*job.rank].push_back({job.started_at_ns, ended});
    }
  }
  for (auto& [rank, each] : lives) {
    if (const size_t count = countInSequence(std::move(each)); count >= kCrashes) {
      return std::to_string(count) + " processes of rank " + std::to_string(rank) +
             " crashed or were killed within 10 minutes, one after another";
    }
  }
  return {};
}

bool OffSwitch::set(const std::string& reason) const {
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const std::string text = kSignature + reason + "\nEmpty this file to count all the same.\n";
  return file.isOpen() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

namespace {

constinit std::atomic<void (*)(int status)> function{nullptr};

void end(int status) {
  if (void (*ends)(int) = function.exchange(nullptr); ends != nullptr) {
    ends(status);
  }
}

} // namespace

void ExitHandler::install(void (*ends)(int status)) {
  function.store(ends);
  std::atexit([] { end(kUnknown); });
  renew();
}

void ExitHandler::renew() {
  on_exit([](int status, void* /*unused*/) { end(status); }, nullptr);
}

} // namespace commtap
