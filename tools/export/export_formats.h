// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/runs/report_scan.h"
#include "tools/cli/output_file.h"
#include "tools/tables/report_tables.h"
#include "tools/tables/run_table.h"
#include "tools/tables/table_text.h"

namespace commtap {

/// Returns a process's module tree in the JSON format of CommDebugMode.generate_json_dump (pytorch/pytorch,
/// torch/distributed/tensor/debug/_comm_mode.py) at noise level 0, with module types and parameters. Counts are
/// inclusive and follow the issuing module. Recomputation counts as backward, all other phases as forward.
std::string commDebugJson(const Report& report);

/// Makes Chrome trace events of the steps and the last collectives of processes, one process after the other, which
/// Perfetto reads (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Arguments have the
/// names that PyTorch's profiler uses (pytorch/kineto, libkineto/include/MetadataFieldCatalog.h). A trace process is a
/// rank, a trace thread is a process group. A collective without start and end times is an instant event at the time of
/// its call. `distributedInfo`, which names a single rank, is there only for a single report.
class ChromeTrace {
 public:
  /// `processes`: every process of the trace. Times count from the start of the first.
  explicit ChromeTrace(std::span<const FoundReport> processes);

  /// Returns what the document has next: that of one more process.
  std::string textOf(const Report& report);
  /// Returns the end of the document.
  std::string end() const;

 private:
  std::string beginning(const Report* only) const;

  uint64_t base_ns_ = 0;
  bool is_alone_;
  bool has_begun_ = false;
};

enum class TableFormat : uint8_t { kCsv, kJsonLines };

/// A table that is exported: one of a report's, or that of the runs.
struct ExportedTable {
  std::string name;
  std::vector<TableColumn> columns;
  std::optional<TableId> id; ///< nullopt: the runs
};

/// Returns all tables, that of the runs first.
std::vector<ExportedTable> exportedTables();

/// Flat tables of reports, each in an output of its own. A report is added once, however many tables there are.
class TableFiles {
 public:
  explicit TableFiles(TableFormat format) : format_(format) {}

  /// Opens the output of a table; `path` is "" or "-" for stdout.
  void open(const std::string& name, const std::string& path);
  /// Opens an output for every table: `folder`/collectives.csv and so on. Makes the folder. Returns "" or an error.
  std::string openAll(const std::string& folder);

  /// Writes a report's rows to the outputs.
  void add(const Report& report);

  /// Returns one line for each output that could not be written.
  std::vector<std::string> finish();

 private:
  struct File {
    File(ExportedTable of, const std::string& path) : table(std::move(of)), out(path), json(table.columns) {}

    ExportedTable table;
    OutputFile out;
    JsonRows json;
  };

  void open(ExportedTable table, const std::string& path);
  void write(File& file, const TableCells& cells) const;

  TableFormat format_;
  std::list<File> files_; ///< a file cannot be moved
  RunTable runs_;
};

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

/// The reports that `commtap export` takes.
struct ExportSelection {
  JobSelection job;
  bool all = false; ///< every run and attempt; `job` is ignored
  std::optional<uint32_t> rank;
  std::string host; ///< "" for any host
};

/// Returns the selected reports by run, attempt, rank, host and pid. Fails if no report matches.
Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection);

/// Gives the reports to `visit` one after the other, so that thousands need the memory of a few. Adds a line to
/// `problems` for each file that cannot be read.
void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit);

} // namespace commtap
