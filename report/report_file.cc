// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "report/atomic_file.h"
#include "report/file_descriptor.h"
#include "report/output.h"
#include "report/report_json.h"

namespace commtap {
namespace {

/// Holds a folder's lock while it lives. Gives up after two seconds, and at once on a file system without locks: a
/// stopped process must not keep the job from ending.
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

} // namespace

Result<std::string>
writeReportFile(const std::string& folder, const std::string& name, const Report& report, uint64_t run_began_ns) {
  const std::string plain = folder + "/" + name;
  const std::string parent = plain.substr(0, plain.rfind('/'));
  if (const std::string error = makeFolders(parent); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  const std::string json = reportToJson(report);
  const FolderLock lock(parent);
  std::string path = chooseReportPath(folder, name, report.job, run_began_ns);
  if (const std::string error = writeFileAtomically(path, json); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  return path;
}

} // namespace commtap
