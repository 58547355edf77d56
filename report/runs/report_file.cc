// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"
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

/// A number in a JSON text that is known only after the text is written. Blanks reserve its space.
class LateNumber {
 public:
  /// Finds the last field of this name in `text`; its value must be 0. `offset`: position of `text` in the file.
  LateNumber(std::string& text, const std::string& field, uint64_t offset) {
    const std::string name = '"' + field + "\":";
    if (const size_t found = text.rfind(name + '0'); found != std::string::npos) {
      const size_t number = found + name.size();
      text.insert(number, kWidth - 1, ' ');
      end_ = offset + number + kWidth;
    }
  }

  void write(AtomicFile& file, uint64_t value) const {
    const std::string digits = std::to_string(value);
    if (end_ != 0) {
      file.replace(end_ - digits.size(), digits);
    }
  }

 private:
  static constexpr size_t kWidth = 20; ///< digits of 2^64
  uint64_t end_ = 0;                   ///< end of the number in the file; 0 if there is none
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
  AtomicFile file(plain + ".json");
  std::string json;
  appendReport(json, report, [&file](std::string& piece) {
    file.append(piece);
    piece.clear();
  });
  std::optional<LateNumber> late_end_ns;
  if (end_ns) {
    late_end_ns.emplace(json, field::kEndNs, file.size());
  }
  file.append(json);
  const FolderLock lock(parent);
  std::string path = chooseReportPath(folder, name, report.job, run_began_ns);
  if (late_end_ns) {
    late_end_ns->write(file, end_ns());
  }
  if (const std::string error = file.commit(path); !error.empty()) {
    return Result<std::string>::failure(error);
  }
  return path;
}

} // namespace commtap
