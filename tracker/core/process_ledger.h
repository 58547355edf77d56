// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/ledger/ledger_writer.h"
#include "report/model/model.h"
#include "report/model/options.h"
#include "report/runs/output.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/launch_environment.h"

namespace commtap {

/// Owns this process's ledger: decides when it becomes a file, names the file and converts it to the report.
class ProcessLedger {
 public:
  /// Returns false if there is no memory for the ledger.
  static bool start(const Options& options, const std::string& torch_version);
  /// Call only after start(). Never destroyed: threads count until the process exits.
  static ProcessLedger& get() {
    return *instance_;
  }

  static LedgerWriter& ledger() {
    return *ledger_;
  }

  /// Returns the options that the process started with. The environment may have changed since; of that, a forked child
  /// takes COMMTAP_OUT before it has output.
  const Options& options() const {
    return options_;
  }

  /// Notes that the process has a process group, as rank `rank` of `size`, or issues a collective. From then on the
  /// process leaves a report. Pass -1 for an unknown value.
  void processGroupSeen(int64_t rank, int64_t size);
  bool hasRank() const {
    return identity_.rank >= 0;
  }
  /// Returns false in a vfork() child, which shares its parent's memory.
  bool isOfThisProcess() const;
  bool hasOutput() const {
    return has_output_.load(std::memory_order_acquire);
  }

  /// Returns the path of this process's report, without ending; "" if it leaves none.
  std::string reportPath() const;
  /// Returns a report that has only this process's job and its groups, with the counts of now.
  Result<Report> readHead() const;

  /// Keeps the ledger in memory: no ledger file and no report. Returns false if the ledger has output already.
  bool keepInMemory();

  /// Counts an exception of commtap's own code as not seen. Unless it is a lack of memory, commtap also stays off in
  /// the processes of the run that start later. Call in a catch block only.
  static void internalError(std::string_view what) noexcept;

  /// Returns why this process must not count; "" if it may. See OffSwitch.
  std::string reasonToStayOff() const;
  /// Notes in the ledgers of the process `pid`, if this process is a launcher, that it is about to end that process by
  /// `signal`: the end is then no sign of a fault of commtap. Call only if isOfThisProcess() is true.
  void noteSignalTo(int64_t pid, int signal) const;
  /// Notes in them that a signal ended the process. Call only if isOfThisProcess() is true.
  void noteEndOf(int64_t pid, int signal) const;
  /// Returns the file that switches commtap off in this run.
  std::string offSwitchPath() const;
  /// Says in one line why nothing is counted and what to do. Leaves a report that only has the reason and its `detail`,
  /// if the process is a rank.
  void stayOff(NotSeen why, const std::string& detail, const std::string& line);

  /// Notes the arguments that the Python code has now. Does nothing in a process that is not a forked child: it has the
  /// command line that it was started with.
  void setArguments(const std::vector<std::string>& arguments);
  void setPythonVersion(const std::string& version);

  /// A process that dies by abort() may have a broken heap, and a signal handler that calls _exit() or kill() may have
  /// interrupted malloc. Returns true on a thread that surely runs ordinary code: the signal that a handler is for is
  /// blocked while it runs.
  static bool mayWrite(ExitKind how);

  /// Records how the process ends, and writes the report if that is safe. `code`: the signal for kSignal, else the exit
  /// status. Later calls do nothing. Call only if isOfThisProcess() is true.
  void finish(ExitKind how, int code);

  void resetInForkedChild();
  static ForkLock forkLock();
  static ForkLock ledgerForkLock();

 private:
  explicit ProcessLedger(Options options) : options_(std::move(options)) {}

  void describeProcess(const std::string& torch_version);
  void describeThisProcess();
  void readLaunchEnvironment();
  void readChangedEnvironment();
  void publish();
  bool publishIn(const std::string& pattern);
  void finishOutput(ExitKind how, int code, uint64_t ends_since_ns);
  void writeReport(uint64_t ends_since_ns);
  void sayLost() const;
  void recoverOthers(const std::string& folder);
  std::string fallbackFolder() const;
  /// Returns the ledgers of another process; none if this process is no launcher.
  std::vector<std::string> ledgersOfChild(int64_t pid) const;
  void keepNextOff(std::string_view what) const;

  static ProcessLedger* instance_;
  static LedgerWriter* ledger_; ///< a separate pointer: counting reaches the ledger with one load

  Options options_;
  OutputIdentity identity_;
  std::string folder_;                 ///< where the report goes
  std::mutex mutex_;                   ///< publishing and finishing
  std::atomic<bool> in_memory_{false}; ///< written with mutex_ held, and only before has_output_
  bool is_forked_ = false;
  RankEnvironment environment_; ///< as it was last read
  std::atomic<bool> has_output_{false};
  std::string torch_version_;
};

} // namespace commtap
