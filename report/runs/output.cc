// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/output.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "report/base/decompression.h"
#include "report/base/text_file.h"
#include "report/json/report_json.h"

namespace commtap {
namespace {

std::string fitForFileName(std::string text) {
  for (char& c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
    if (!plain) {
      c = '_';
    }
  }
  return text.empty() || text[0] == '.' ? "_" + text : text;
}

bool isSameProcess(const Job& a, const Job& b) {
  constexpr uint64_t kNsPerMicrosecond = 1000; // JSON holds no finer time
  return a.host == b.host && a.pid == b.pid &&
         a.started_at_ns / kNsPerMicrosecond == b.started_at_ns / kNsPerMicrosecond;
}

/// Returns whether a process may write a report of this name: none has it, or the process's own.
bool mayTake(const std::string& path, const Job& job) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 && errno == ENOENT) { // a link without a target is a file, too
    return true;
  }
  const Result<Job> there = jobOfReportFile(path);
  return there && isSameProcess(*there, job);
}

bool mayTakeAll(const std::string& base, const Job& job) {
  return std::all_of(kReportEndings.begin(), kReportEndings.end(), [&](std::string_view ending) {
    return mayTake(base + std::string(ending), job);
  });
}

/// Returns whether the component has a percent sign with one of the letters.
bool hasVariable(const std::string& component, std::string_view letters) {
  for (size_t at = component.find('%'); at != std::string::npos; at = component.find('%', at + 2)) {
    if (at + 1 < component.size() && letters.find(component[at + 1]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Returns the position of the first component with one of the letters; the pattern's size if there is none.
size_t startOfLetters(const std::string& pattern, std::string_view letters) {
  size_t start = 0;
  while (start < pattern.size()) {
    const size_t end = std::min(pattern.find('/', start), pattern.size());
    if (hasVariable(pattern.substr(start, end - start), letters)) {
      return start;
    }
    start = end + 1;
  }
  return pattern.size();
}

/// Expands a pattern that has no other variable than the run id.
std::string expandedFolder(const std::string& common, const std::string& run_id) {
  std::string folder = common.starts_with('/') ? "/" : "";
  for (size_t start = 0; start < common.size();) {
    const size_t end = std::min(common.find('/', start), common.size());
    const std::string component = common.substr(start, end - start);
    if (!component.empty()) {
      folder +=
          (folder.empty() || folder.back() == '/' ? "" : "/") + expandOutputPattern(component, {"", 0, -1, run_id, 0});
    }
    start = end + 1;
  }
  return folder.empty() ? "." : folder;
}

constexpr std::string_view kOfProcess = "hpr";
constexpr std::string_view kOfProcessOrRun = "hprj";

} // namespace

std::string expandOutputPattern(const std::string& pattern, const OutputIdentity& identity) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'h':
        path += fitForFileName(identity.host);
        break;
      case 'p':
        path += std::to_string(identity.pid);
        break;
      case 'r':
        path += identity.rank < 0 ? "none" : std::to_string(identity.rank);
        break;
      case 'j':
        path += fitForFileName(identity.run_id);
        break;
      case '%':
        path += '%';
        break;
      default:
        path += std::string("%") + pattern[i];
    }
  }
  return path;
}

std::string patternOf(const std::string& folder) {
  std::string pattern;
  for (const char c : folder) {
    pattern += c == '%' ? "%%" : std::string(1, c);
  }
  return pattern;
}

std::optional<size_t> startOfVariable(const std::string& pattern) {
  const size_t start = startOfLetters(pattern, kOfProcess);
  return start < pattern.size() ? std::optional(start) : std::nullopt;
}

std::string commonFolder(const std::string& pattern, const std::string& run_id) {
  return expandedFolder(pattern.substr(0, startOfLetters(pattern, kOfProcess)), run_id);
}

std::string commonFolder(const std::string& pattern) {
  return expandedFolder(pattern.substr(0, startOfLetters(pattern, kOfProcessOrRun)), "");
}

std::string reportName(const OutputIdentity& identity) {
  std::string name;
  if (identity.attempt > 0) {
    name = "attempt-" + std::to_string(identity.attempt) + "/";
  }
  if (identity.rank < 0) {
    return name + "pid-" + fitForFileName(identity.host) + "-" + std::to_string(identity.pid);
  }
  char rank[32];
  std::snprintf(rank, sizeof(rank), "rank-%05lld", static_cast<long long>(identity.rank));
  return name + rank;
}

std::string ledgerFileName(const std::string& report_path, const OutputIdentity& identity) {
  return report_path + "." + fitForFileName(identity.host) + "-" + std::to_string(identity.pid) + ".ledger";
}

std::optional<uint64_t> pidOfLedger(const std::string& name, const std::string& host) {
  if (!name.ends_with(".ledger")) { // most names: a process that starts tests thousands
    return std::nullopt;
  }
  const std::string mark = "." + fitForFileName(host) + "-";
  const size_t at = name.find(mark);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const char* digits = name.data() + at + mark.size();
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(digits, name.data() + name.size(), pid);
  return error == std::errc() && *end == '.' ? std::optional<uint64_t>(pid) : std::nullopt;
}

Result<Job> jobOfReportFile(const std::string& path) {
  constexpr size_t kEnough = 256U << 10U; ///< bytes; command lines are truncated far below this
  Result<std::string> start = readStartOfFile(path, kEnough);
  if (start && isCompressed(*start)) {
    start = decompressStart(*start, kEnough);
  }
  return start ? jobOfReportHead(*start) : Result<Job>::failure(start.error());
}

std::string
chooseReportPath(const std::string& folder, const std::string& name, const Job& job, std::string_view ending) {
  const std::string plain = folder + "/" + name;
  const std::string with_pid = plain + ".pid-" + std::to_string(job.pid);
  std::string base = plain;
  for (int nth = 1; !mayTakeAll(base, job); ++nth) { // exec() keeps the pid, so a process can write many reports
    base = with_pid + (nth == 1 ? "" : "." + std::to_string(nth));
  }
  return base + std::string(ending);
}

} // namespace commtap
