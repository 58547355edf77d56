// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "report/runs/output.h"

namespace commtap {

/// Returns the run id without the number that RunFolder adds for a further run of the same name.
std::string nameOfRun(const std::string& run_id);

/// The folder of a process's run. Launchers repeat the names of runs, and several runs may write to one folder. The
/// first run takes the common folder of `pattern`. A later one gets a folder of its run id inside it. If an earlier run
/// has its name, its id is the name with ".run-2", ".run-3" and so on.
///
/// All processes of a run must decide alike, without talking to each other. Each decides by a report or ledger that
/// lies in the folder: it is of this run if it has the run's id and its process was alive after `began_ns`, see
/// runBeganNs(). A process of another host without a known end may be alive.
class RunFolder {
 public:
  /// Makes the folder. As long as the object lives, another run does not take the folder: it must live until a ledger
  /// is in the folder.
  RunFolder(const std::string& pattern, const OutputIdentity& process, uint64_t began_ns);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::string& runId() const {
    return process_.run_id;
  }
  /// Returns the folder of this process's report.
  const std::string& path() const {
    return path_;
  }
  /// Returns "", or one line with the path and the system's reason.
  const std::string& error() const {
    return error_;
  }

 private:
  class Lock;
  enum class Occupant : uint8_t {
    kNone,
    kThisRun,
    kEarlierRun, ///< of the same name
    kOtherRun,
  };

  Occupant occupantOf(const std::string& folder) const;
  Occupant occupantOfCommonFolder(const std::string& common);
  void findAmongLaterRuns(const std::string& common);
  bool wasAliveIn(const Job& job) const;

  OutputIdentity process_;
  uint64_t began_ns_;
  std::string rest_; ///< of the pattern, from the first %h, %p or %r on
  std::string path_;
  std::string error_;
  std::unique_ptr<Lock> lock_;
};

/// Returns the folders that may hold the reports of a run of this process's name, the newest run's first.
std::vector<std::string> foldersOfRun(const std::string& pattern, const OutputIdentity& process);

/// Returns whether a file that could not be read does not even begin like a file of commtap.
bool isForeign(const std::string& path);

/// Adds the errors of foreign files to `problems`: one line with their number if they are many. Returns the number of
/// files without a line of their own.
size_t addForeign(const std::vector<std::string>& errors, std::vector<std::string>& problems);

} // namespace commtap
