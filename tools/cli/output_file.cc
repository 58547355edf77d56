// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "report/base/atomic_file.h"

namespace commtap {
namespace {

/// The temporary file's name must not end in .prom: node_exporter reads every *.prom file of its folder.
constexpr char kTemporarySuffix[] = ".tmp";

mode_t currentUmask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

} // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") {
    path_ = "stdout";
    file_ = stdout;
    return;
  }
  const int fd = open();
  file_ = fd < 0 ? nullptr : fdopen(fd, "w");
  if (file_ == nullptr) {
    fail("cannot write");
    if (fd >= 0) {
      close(fd);
    }
  }
}

/// Returns a descriptor of the file to write; -1 after an error.
int OutputFile::open() {
  if (isSpecialFile(path_)) {
    return ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  std::string temporary = path_ + ".XXXXXX" + kTemporarySuffix;
  const int fd = mkostemps(temporary.data(), sizeof(kTemporarySuffix) - 1, O_CLOEXEC);
  if (fd < 0) {
    fail("cannot create a temporary file for");
    return fd;
  }
  temporary_ = temporary;
  fchmod(fd, 0666 & ~currentUmask());
  return fd;
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) {
    std::fclose(file_);
  }
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void OutputFile::fail(const std::string& what) {
  if (error_.empty()) {
    error_ = what + " " + path_ + ": " + std::strerror(errno);
  }
}

bool OutputFile::write(std::string_view text) {
  if (error_.empty() && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail("cannot write to");
  }
  return error_.empty();
}

std::string OutputFile::finish() {
  if (error_.empty() && std::fflush(file_) != 0) {
    fail("cannot write to");
  }
  if (temporary_.empty() || !error_.empty()) {
    return error_;
  }
  if (fsync(fileno(file_)) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("cannot write");
    return error_;
  }
  temporary_.clear();
  return {};
}

} // namespace commtap
