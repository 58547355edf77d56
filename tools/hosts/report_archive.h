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
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "tools/cli/output_file.h"
#include "tools/hosts/hosts_view.h"

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

/// The memory for each report of another host, which may have sent little that becomes much; --max-file-size changes
/// it.
inline constexpr uint64_t kMostMemory = uint64_t{256} << 20U;

/// The complete reports of several hosts as files in a temporary folder, which goes with the object.
class DownloadedReports {
 public:
  /// Fails if there can be no folder. Lowers the default of --max-file-size to kMostMemory.
  static Result<DownloadedReports> from(const HostsView& hosts);

  const std::string& folder() const {
    return folder_.path();
  }
  /// Returns whether no host sent a file.
  bool isEmpty() const;

  /// Returns a line about a file of folder() with the name of its host.
  std::string named(std::string line) const;

  /// A line for each host that is missing.
  const std::vector<std::string>& missing() const {
    return missing_;
  }

 private:
  DownloadedReports(TemporaryFolder folder, std::vector<std::string> hosts)
      : folder_(std::move(folder)), hosts_(std::move(hosts)) {}

  TemporaryFolder folder_;
  std::vector<std::string> hosts_; ///< names
  std::vector<std::string> missing_;
};

} // namespace commtap
