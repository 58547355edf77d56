// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/downloaded_reports.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace commtap {

namespace fs = std::filesystem;

Result<DownloadedReports> DownloadedReports::from(const HostsView& hosts) {
  std::error_code error;
  std::string folder = fs::temp_directory_path(error) / "commtap-hosts-XXXXXX";
  if (error || mkdtemp(folder.data()) == nullptr) {
    return Result<DownloadedReports>::failure(
        "cannot make a folder for the hosts' reports: " + (error ? error.message() : std::strerror(errno)));
  }
  DownloadedReports reports(std::move(folder));
  reports.missing_ = hosts.download(reports.folder_);
  return reports;
}

DownloadedReports::~DownloadedReports() {
  std::error_code error;
  if (!folder_.empty()) {
    fs::remove_all(folder_, error);
  }
}

} // namespace commtap
