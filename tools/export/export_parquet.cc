// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/run/environment.h"
#include "tools/run/preload.h"

namespace commtap {
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
