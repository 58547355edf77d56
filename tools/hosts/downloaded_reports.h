// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "tools/hosts/hosts_view.h"

namespace commtap {

/// The complete reports of several hosts as files in a temporary folder, which goes with the object.
class DownloadedReports {
 public:
  /// Fails if there can be no folder.
  static Result<DownloadedReports> from(const HostsView& hosts);

  DownloadedReports(DownloadedReports&& other) noexcept
      : folder_(std::exchange(other.folder_, "")), missing_(std::move(other.missing_)) {}
  DownloadedReports& operator=(DownloadedReports&& other) = delete;
  ~DownloadedReports();

  const std::string& folder() const {
    return folder_;
  }
  /// A line for each host that is missing.
  const std::vector<std::string>& missing() const {
    return missing_;
  }

 private:
  explicit DownloadedReports(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
  std::vector<std::string> missing_;
};

} // namespace commtap
