// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "report/json/report_json.h"
#include "report/runs/report_file.h"
#include "tools/text/text.h"

#include "report/base/text_file.h"

namespace commtap {
namespace {

constexpr const char* kNotComplete = "its archive of reports is not complete";

} // namespace

std::string archiveOf(std::span<const std::shared_ptr<const Report>> reports) {
  std::string archive;
  for (const auto& report : reports) {
    const std::string packed = makeCompressor(Compress::kZstd)->add(reportToJson(*report), /*is_last=*/true);
    archive += fmt::format("{}\n", packed.size());
    archive += packed;
  }
  return archive;
}

std::string ArchiveReader::add(std::string_view piece) {
  while (!piece.empty()) {
    const std::string problem = left_ == 0 ? addToSize(piece) : addToReport(piece);
    if (!problem.empty()) {
      return problem;
    }
  }
  return "";
}

std::string ArchiveReader::finish() const {
  return left_ == 0 && size_.empty() ? "" : kNotComplete;
}

std::string ArchiveReader::addToSize(std::string_view& piece) {
  constexpr size_t kMostDigits = 19;
  const size_t line = std::min(piece.find('\n'), piece.size());
  size_ += piece.substr(0, std::min(line, kMostDigits + 1));
  const bool is_whole = line < piece.size();
  piece.remove_prefix(std::min(line + 1, piece.size()));
  const std::optional<int64_t> size = wholeNumber(size_);
  if (!size || *size == 0 || size_.size() > kMostDigits) {
    return kNotComplete;
  }
  if (!is_whole) {
    return "";
  }
  if (count_ == kMostReports) {
    return fmt::format("its archive has more than {} reports", kMostReports);
  }
  size_.clear();
  left_ = static_cast<uint64_t>(*size);
  path_ = fmt::format("{}-{}.json.zst", prefix_, count_++);
  file_ = std::ofstream(path_, std::ios::binary);
  return file_ ? "" : "cannot write " + path_;
}

std::string ArchiveReader::addToReport(std::string_view& piece) {
  const size_t size = std::min<uint64_t>(left_, piece.size());
  file_.write(piece.data(), static_cast<std::streamsize>(size));
  left_ -= size;
  piece.remove_prefix(size);
  if (left_ == 0) {
    file_.close();
  }
  return file_ ? "" : "cannot write " + path_;
}

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
