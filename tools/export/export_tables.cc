// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/merge/job_reader.h"
#include "tools/run/environment.h"
#include "tools/run/preload.h"

namespace commtap {

std::vector<ExportedTable> exportedTables() {
  std::vector<ExportedTable> tables = {{RunTable::kName, RunTable::columns(), std::nullopt}};
  for (const TableRow& table : reportTables()) {
    tables.push_back({table.name, columnsOf(table.id), table.id});
  }
  return tables;
}

void TableFiles::open(const std::string& name, const std::string& path) {
  for (ExportedTable& table : exportedTables()) {
    if (table.name == name) {
      open(std::move(table), path);
    }
  }
}

void TableFiles::open(ExportedTable table, const std::string& path) {
  File& file = files_.emplace_back(std::move(table), path);
  if (format_ == TableFormat::kCsv) {
    file.out.write(csvTitles(file.table.columns));
  }
}

std::string TableFiles::openAll(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return folder + ": " + error.message();
  }
  const char* extension = format_ == TableFormat::kCsv ? ".csv" : ".jsonl";
  for (ExportedTable& table : exportedTables()) {
    const std::string path = std::filesystem::path(folder) / (table.name + extension);
    open(std::move(table), path);
  }
  return "";
}

void TableFiles::write(File& file, const TableCells& cells) const {
  file.out.write(format_ == TableFormat::kCsv ? csvRow(cells) : file.json.row(cells));
}

void TableFiles::add(const Report& report) {
  for (File& file : files_) {
    if (file.table.id) {
      forEachRow(*file.table.id, report, [&](const TableCells& cells) { write(file, cells); });
    } else {
      runs_.add(report);
    }
  }
}

std::vector<std::string> TableFiles::finish() {
  std::vector<std::string> errors;
  for (File& file : files_) {
    if (!file.table.id) {
      for (const TableCells& cells : runs_.rows()) {
        write(file, cells);
      }
    }
    if (std::string error = file.out.finish(); !error.empty()) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection) {
  using Found = Result<std::vector<FoundReport>>;
  std::vector<FoundReport> reports = scan.reports;
  if (!selection.all) {
    Result<SelectedReports> selected = selectReports(scan, selection.job);
    if (!selected) {
      return Found::failure(selected.error());
    }
    reports = std::move(selected->reports);
  }
  std::erase_if(reports, [&](const FoundReport& found) {
    const bool other_host = !selection.host.empty() && found.job.host != selection.host;
    return other_host || (selection.rank && found.job.rank != selection.rank);
  });
  if (reports.empty()) {
    return Found::failure("no report of this rank or host (see commtap show)");
  }
  std::sort(reports.begin(), reports.end(), [](const FoundReport& a, const FoundReport& b) {
    return comesBefore(a.job, b.job);
  });
  return reports;
}

void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit) {
  forEachReport(found, ReportDepth::kAll, progress, [&](ReadReport item) {
    if (item.report) {
      visit(std::move(*item.report));
    } else {
      problems.push_back(item.report.error());
    }
  });
}

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kExitNotFound = 127;
constexpr int kExitNoPyarrow = 3; ///< parquet_files.py's
/// The smallest pipe: some twenty runs may be read before they are written.
constexpr int kPipeBytes = 4096;

/// The tables and their columns' types, in SQL.
json schema() {
  json tables = json::object();
  for (const ExportedTable& table : exportedTables()) {
    json& columns = tables[table.name] = json::array();
    for (const TableColumn& column : table.columns) {
      columns.push_back({column.name, column.type});
    }
  }
  return tables;
}

std::string lineOf(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

/// Starts the command with `input` as its stdin. Returns -1 if there can be no process.
pid_t startReading(const std::vector<std::string>& command, int input) {
  const std::vector<char*> pointers = execPointers(command);
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(input, STDIN_FILENO) >= 0) {
      execvp(pointers[0], pointers.data());
    }
    _exit(kExitNotFound);
  }
  return child;
}

} // namespace

Result<std::string> findParquetScript(const std::string& folder) {
  return findInstalled(folder, {"export/parquet_files.py" /* build folder */, "../share/commtap/parquet_files.py"});
}

Result<ParquetFiles> ParquetFiles::start(const std::string& python, const std::string& folder) {
  using Files = Result<ParquetFiles>;
  const Result<std::string> script = findParquetScript(executableFolder());
  if (!script) {
    return Files::failure(script.error());
  }
  std::error_code error;
  fs::create_directories(folder, error);
  ParquetFiles files;
  files.temporary_.emplace(folder + "/.commtap");
  if (files.temporary_->path().empty()) {
    return Files::failure(folder + ": " + (error ? error.message() : std::strerror(errno)));
  }
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Files::failure(std::string("no pipe: ") + std::strerror(errno));
  }
  fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  files.child_ = startReading({python, *script, folder}, ends[0]);
  close(ends[0]);
  files.pipe_ = fdopen(ends[1], "w");
  if (files.pipe_ == nullptr || files.child_ < 0) {
    return Files::failure(python + " cannot be started: " + std::strerror(errno));
  }
  std::signal(SIGPIPE, SIG_IGN); // if Python ends early, finish() says why
  const std::string tables = lineOf(schema());
  std::fputs(tables.c_str(), files.pipe_);
  std::fflush(files.pipe_);
  return files;
}

ParquetFiles::ParquetFiles(ParquetFiles&& other) noexcept
    : temporary_(std::move(other.temporary_)),
      pipe_(std::exchange(other.pipe_, nullptr)),
      child_(std::exchange(other.child_, -1)) {}

ParquetFiles::~ParquetFiles() {
  finish();
}

std::string ParquetFiles::folderFor(size_t number) const {
  return fmt::format("{}/{}", temporary_->path(), number);
}

void ParquetFiles::add(const std::string& run_id, const std::string& folder) {
  const std::string line = lineOf({{"run_id", run_id}, {"folder", folder}});
  std::fputs(line.c_str(), pipe_);
  std::fflush(pipe_);
}

std::string ParquetFiles::finish() {
  if (pipe_ != nullptr) {
    std::fclose(std::exchange(pipe_, nullptr));
  }
  if (child_ <= 0) {
    return "";
  }
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  switch (exit_status) {
    case 0:
      return "";
    case kExitNotFound:
      return "--format parquet needs a Python: give one with --python PATH";
    case kExitNoPyarrow:
      return "--format parquet needs pyarrow: pip install pyarrow, or give a Python that has it: --python PATH";
    default:
      return "the Parquet files were not all written; the lines above say why";
  }
}

} // namespace commtap
