// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "tools/cli/output_file.h"
#include "tools/hosts/hosts_view.h"

namespace commtap {

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
