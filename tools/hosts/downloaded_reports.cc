// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/downloaded_reports.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "report/base/text_file.h"

namespace commtap {

namespace fs = std::filesystem;

Result<DownloadedReports> DownloadedReports::from(const HostsView& hosts) {
  std::error_code error;
  TemporaryFolder folder(fs::temp_directory_path(error) / "commtap-hosts");
  if (error || folder.path().empty()) {
    return Result<DownloadedReports>::failure(
        "cannot make a folder for the hosts' reports: " + (error ? error.message() : std::strerror(errno)));
  }
  DownloadedReports reports(std::move(folder), hosts.names());
  if (maxInputSize() == kDefaultMaxInputSize) {
    setMaxInputSize(kMostMemory);
  }
  reports.missing_ = hosts.download(reports.folder());
  return reports;
}

bool DownloadedReports::isEmpty() const {
  std::error_code error;
  return fs::is_empty(folder(), error);
}

std::string DownloadedReports::named(std::string line) const {
  for (size_t i = 0; i < hosts_.size(); ++i) {
    const std::string folder = HostsView::folderOf(folder_.path(), i) + "/";
    for (size_t at = line.find(folder); at != std::string::npos; at = line.find(folder, at)) {
      line.replace(at, folder.size(), hosts_[i] + ": ");
    }
  }
  return line;
}

} // namespace commtap
