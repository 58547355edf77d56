// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/samples/samples.h"

namespace commtap {

enum class SamplesBlockKind : uint32_t;

/// Appends samples to the process's file by one write() each, so a process that is killed leaves those that it took.
/// Not for several threads at once.
class SamplesWriter {
 public:
  SamplesWriter() = default;
  SamplesWriter(const SamplesWriter&) = delete;
  SamplesWriter& operator=(const SamplesWriter&) = delete;
  /// Closes the file.
  ~SamplesWriter();

  /// Creates the file `path``ending` and writes its head. Its name gets the pid before the ending, and then a number,
  /// if another process has the name. Returns "", or one line with the reason.
  std::string create(const std::string& path, std::string_view ending, const Job& job);
  bool isOpen() const {
    return fd_ >= 0;
  }
  const std::string& path() const {
    return path_;
  }
  /// Returns the size of the file.
  uint64_t size() const {
    return size_;
  }

  /// Appends parameters that no sample has named, and a sample. Returns "", or one line with the reason: the sample is
  /// lost then, and the file is closed, since nothing can follow what may have been written of it. `most`: the size
  /// that the file must not exceed.
  std::string append(std::span<const SampledParameter> added, const Sample& sample, uint64_t most = UINT64_MAX);

  /// Closes the file, without a word.
  void close();

 private:
  std::string openNew(const std::string& path, std::string_view ending, uint64_t pid);
  void addBlock(std::string& bytes, SamplesBlockKind kind, const std::string& payload);
  std::string write(const std::string& bytes);

  int fd_ = -1;
  std::string path_;
  uint64_t size_ = 0;
  uint32_t blocks_ = 0;
};

} // namespace commtap
