// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace commtap {

/// Where a command writes: stdout, or a file that is there as a whole or not at all: temporary name in the same folder,
/// fsync, rename. Readable to whom the umask lets read it, as the file may be made for another user's service.
class OutputFile {
 public:
  /// "" or "-": stdout.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without finish() nothing is left.
  ~OutputFile();

  /// False after the first failure.
  bool write(std::string_view text);

  /// "" or one line with the path and the system's reason.
  std::string finish();

 private:
  void fail(const std::string& what);

  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  std::string error_;
};

} // namespace commtap
