// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

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

} // namespace commtap
