// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "report/merge/job_reader.h"
#include "tests/fuzz/targets.h"

namespace commtap {
namespace {

template <typename Document>
void checkSameAgain(
    std::string_view text,
    Result<Document> (*read)(std::string_view),
    std::string (*write)(const Document&)) {
  const Result<Document> first = read(text);
  if (!first) {
    return;
  }
  const std::string written = write(*first);
  const Result<Document> second = read(written);
  if (!second || write(*second) != written) {
    std::fprintf(stderr, "not the same when it is read again: %s\n", second ? "" : second.error().c_str());
    std::abort();
  }
}

/// A file without a folder; its path.
const std::string& fileOf(std::string_view text) {
  static const int fd = memfd_create("report", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
  return path;
}

} // namespace

void fuzzJson(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  checkSameAgain<Report>(text, reportFromJson, reportToJson);
  checkSameAgain<JobReport>(text, jobReportFromJson, jobReportToJson);
  static FastReportReader fast; // it does not judge what it leaves out
  const std::string& path = fileOf(text);
  static_cast<void>(fast.read(path));
  static_cast<void>(readReportHead(path));
}

} // namespace commtap
