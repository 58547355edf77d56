// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "report/base/result.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

class FileDescriptor;

/// A copy of a ledger file in memory. Only the parts that hold records are read and take memory; the rest is zero. A
/// copy, because reading a mapped file that is truncated at the same time raises SIGBUS.
class LedgerImage {
 public:
  /// Reads a file, also while its process writes it. The error does not name the path.
  static Result<LedgerImage> load(const std::string& path);
  static Result<LedgerImage> load(const FileDescriptor& file);

  LedgerImage(LedgerImage&& other) noexcept;
  LedgerImage& operator=(LedgerImage&&) = delete;
  LedgerImage(const LedgerImage&) = delete;
  LedgerImage& operator=(const LedgerImage&) = delete;
  ~LedgerImage();

  std::span<const std::byte> bytes() const {
    return {data_, size_};
  }

 private:
  explicit LedgerImage(uint64_t size);

  std::string read(int fd);
  std::string readSection(int fd, uint32_t id);

  std::byte* data_ = nullptr; ///< null: no memory
  uint64_t size_ = 0;
};

/// Returns true if the file starts like a ledger.
bool isLedgerFile(const std::string& path);

} // namespace commtap
