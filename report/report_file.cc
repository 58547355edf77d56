// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "report/atomic_file.h"
#include "report/fields.h"
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

/// A number in a JSON text that is known only when the text has been written: blanks keep its place.
class LateNumber {
 public:
  /// The last field of this name that is 0 so far.
  LateNumber(std::string& json, const std::string& field) {
    const std::string name = '"' + field + "\":";
    if (const size_t found = json.rfind(name + '0'); found != std::string::npos) {
      at_ = found + name.size();
      json.insert(*at_, kWidth - 1, ' ');
    }
  }

  bool write(int fd, uint64_t value) const {
    const std::string digits = std::to_string(value);
    return !at_ || pwrite(fd, digits.data(), digits.size(), static_cast<off_t>(*at_ + kWidth - digits.size())) ==
                       static_cast<ssize_t>(digits.size());
  }

 private:
  static constexpr size_t kWidth = 20; ///< digits of 2^64
  std::optional<size_t> at_;
};

} // namespace

Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    uint64_t run_began_ns,
    const std::function<uint64_t()>& end_ns) {
  const std::string plain = folder + "/" + name;
  const std::string parent = plain.substr(0, plain.rfind('/'));
  if (const std::string error = makeFolders(parent); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  std::string json = reportToJson(report);
  std::function<bool(int)> complete;
  if (end_ns) {
    complete = [&end_ns, late = LateNumber(json, field::kEndNs)](int fd) { return late.write(fd, end_ns()); };
  }
  const FolderLock lock(parent);
  std::string path = chooseReportPath(folder, name, report.job, run_began_ns);
  if (const std::string error = writeFileAtomically(path, json, complete); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  return path;
}

} // namespace commtap
