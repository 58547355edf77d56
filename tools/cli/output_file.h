// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace commtap {

/// A command's output: stdout, a device or pipe, or a file replaced atomically by fsync() and rename() of a temporary
/// file in its folder. The umask sets the file's permissions: another user's service may have to read the file.
class OutputFile {
 public:
  /// Opens the file at `path`; "" or "-" is stdout.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Deletes the temporary file if finish() has not run.
  ~OutputFile();

  /// Returns false after the first failure.
  bool write(std::string_view text);

  /// Returns "" or one line with the path and the system's error.
  std::string finish();

 private:
  int open();
  void fail(const std::string& what);

  std::string path_;
  std::string temporary_; ///< "" if the output is written in place
  std::FILE* file_ = nullptr;
  std::string error_;
};

/// A new folder that only this user can read. It is removed with the object.
class TemporaryFolder {
 public:
  /// `start`: the start of the folder's path.
  explicit TemporaryFolder(const std::string& start) : path_(start + "-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      path_.clear();
    }
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, error);
    }
  }

  /// Returns "" if the folder could not be made; errno says why.
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};

} // namespace commtap
