// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/model/model.h"

namespace commtap {

/// The path of the archive in `commtap serve`.
inline constexpr const char* kArchivePath = "/reports";

/// Returns the complete reports, each compressed, with a line before it that holds its size in bytes.
std::string archiveOf(std::span<const std::shared_ptr<const Report>> reports);

/// Writes each report of an archive, which comes in pieces, to a file whose path begins with `prefix`.
class ArchiveReader {
 public:
  static constexpr size_t kMostReports = 4096; ///< of one host

  explicit ArchiveReader(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Returns "", or what is wrong.
  std::string add(std::string_view piece);
  /// Returns "" after the last piece of a whole archive, else what is wrong.
  std::string finish() const;

 private:
  /// Takes what belongs to the line before a report, or to the report, from `piece`. Returns "", or what is wrong.
  std::string addToSize(std::string_view& piece);
  std::string addToReport(std::string_view& piece);

  std::string prefix_;
  std::string size_; ///< the digits so far
  size_t count_ = 0;
  uint64_t left_ = 0; ///< bytes of the report that is being written
  std::string path_;
  std::ofstream file_;
};

} // namespace commtap
