// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"
#include "report/runs/compressor.h"
#include "report/runs/output.h"

namespace commtap {
namespace {

/// Holds a folder's lock for its lifetime. Gives up after two seconds, or immediately on a file system without locks: a
/// stopped process must not delay the job's exit.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int kTries = 200;
    constexpr useconds_t kPauseUs = 10'000;
    for (int tried = 0; tried < kTries && folder_.isLockedByAnother(); ++tried) {
      usleep(kPauseUs);
    }
  }

 private:
  FileDescriptor folder_;
};

/// Sets the last field of this name in `text`, whose value must be 0.
void setNumber(std::string& text, const std::string& field, uint64_t value) {
  const std::string name = '"' + field + "\":";
  if (const size_t found = text.rfind(name + '0'); found != std::string::npos) {
    text.replace(found + name.size(), 1, std::to_string(value));
  }
}

/// Removes the process's own report under the same name with another ending.
void removeOtherEndings(const std::string& path, std::string_view ending) {
  const std::string base = path.substr(0, path.size() - ending.size());
  for (const std::string_view other : kReportEndings) {
    if (other != ending) {
      unlink((base + std::string(other)).c_str());
    }
  }
}

/// The choice and the new name are one step only where FolderLock works: else another process may have taken the name
/// in between. A name that is taken, and is chosen again, is of this process's own report.
Result<std::string> commitReport(
    AtomicFile& file,
    const std::string& folder,
    const std::string& name,
    const Job& job,
    std::string_view ending) {
  for (;;) {
    std::string path = chooseReportPath(folder, name, job, ending);
    bool is_taken = false;
    std::string error = file.commitNew(path, is_taken);
    if (is_taken && chooseReportPath(folder, name, job, ending) == path) {
      is_taken = false;
      error = file.commit(path);
    }
    if (error.empty()) {
      removeOtherEndings(path, ending);
      return path;
    }
    if (!is_taken) {
      return Result<std::string>::failure(error);
    }
  }
}

} // namespace

Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    Compress compress,
    const std::function<uint64_t()>& end_ns) {
  const std::string plain = folder + "/" + name;
  const std::string parent = plain.substr(0, plain.rfind('/'));
  if (const std::string error = makeFolders(parent); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  const std::string_view ending = endingOf(compress);
  AtomicFile file(plain + std::string(ending));
  const std::unique_ptr<Compressor> compressor = makeCompressor(compress);
  std::string json;
  appendReport(json, report, [&](std::string& piece) {
    file.append(compressor->add(piece, false));
    piece.clear();
  });
  const FolderLock lock(parent);
  if (end_ns) {
    setNumber(json, field::kEndNs, end_ns());
  }
  file.append(compressor->add(json, true));
  return commitReport(file, folder, name, report.job, ending);
}

} // namespace commtap
