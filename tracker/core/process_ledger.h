// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "report/ledger/ledger_writer.h"
#include "report/model/options.h"
#include "report/runs/output.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// This process's ledger: when it becomes a file, under which name, and how it turns into the report.
class ProcessLedger {
 public:
  /// False if there is no memory for the ledger.
  static bool start(const Options& options, const std::string& torch_version);
  /// Only after start(). Never destroyed: threads count until the process is gone.
  static ProcessLedger& get() {
    return *instance_;
  }

  static LedgerWriter& ledger() {
    return *ledger_;
  }

  /// The process has a process group of which it is rank `rank` of `size`, or makes a collective: from now on it
  /// leaves a report. -1 for what is not known.
  void processGroupSeen(int64_t rank, int64_t size);
  bool hasRank() const {
    return identity_.rank >= 0;
  }
  /// False in a child of vfork, which has its parent's memory.
  bool isOfThisProcess() const;
  bool hasOutput() const {
    return has_output_.load(std::memory_order_acquire);
  }

  /// No ledger file and no report. False if there is one already.
  bool keepInMemory();

  void setPythonVersion(const std::string& version);

  /// Notes how the process ends, and writes the report where that is safe. Later calls do nothing. Only if
  /// isOfThisProcess().
  void finish(ExitKind how, int signal);

  void resetInForkedChild();
  static ForkLock forkLock();
  static ForkLock ledgerForkLock();

 private:
  explicit ProcessLedger(Options options) : options_(std::move(options)) {}

  void describeProcess(const std::string& torch_version);
  void describeThisProcess();
  void readLaunchEnvironment();
  bool openOutput(const std::string& folder);
  void publish();
  bool publishIn(const std::string& folder);
  void finishOutput(ExitKind how, int signal, uint64_t ends_since_ns);
  void writeReport(uint64_t ends_since_ns);
  void recoverOthers(const std::string& folder);
  std::string fallbackFolder() const;

  static ProcessLedger* instance_;
  static LedgerWriter* ledger_; ///< of its own, so that whoever counts has it in one step

  Options options_;
  OutputIdentity identity_;
  std::string folder_;                 ///< where the report goes
  std::mutex mutex_;                   ///< publishing and finishing
  std::atomic<bool> in_memory_{false}; ///< written with mutex_ held, and only before has_output_
  bool is_forked_ = false;
  std::atomic<bool> has_output_{false};
};

} // namespace commtap
