// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "tools/cli/temporary_folder.h"

namespace commtap {

/// Writes tables of runs as Parquet files by `parquet_files.py`, a process of Python with pyarrow: there is no library
/// for C++ in the systems that commtap is built on. One file per table and run.
class ParquetFiles {
 public:
  /// Starts the process, which writes to `folder`. Fails with a line for the user if it cannot be started, or if this
  /// Python has no pyarrow.
  static Result<ParquetFiles> start(const std::string& python, const std::string& folder);

  ParquetFiles(ParquetFiles&& other) noexcept;
  ParquetFiles& operator=(ParquetFiles&&) = delete;
  ~ParquetFiles();

  /// Returns an empty folder for the tables of a run as JSON lines.
  std::string folderFor(size_t number) const;
  /// Hands the tables over. They are written while the next run is read, and the folder is removed.
  void add(const std::string& run_id, const std::string& folder);

  /// Waits for the last file. Returns "", or what went wrong, in a line.
  std::string finish();

 private:
  ParquetFiles() = default;

  std::optional<TemporaryFolder> temporary_; ///< folder of the JSON lines
  std::FILE* pipe_ = nullptr;
  pid_t child_ = -1;
};

/// Returns the path of parquet_files.py next to the command, whose folder is `folder`.
Result<std::string> findParquetScript(const std::string& folder);

} // namespace commtap
