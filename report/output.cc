// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/output.h"

#include <unistd.h>

#include <cstdio>

#include "report/process.h"
#include "report/text_file.h"
#include "report/report_json.h"

namespace commtap {
namespace {

std::string fitForFileName(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
        c == '_' || c == '.';
    if (!plain) {
      c = '_';
    }
  }
  return text.empty() || text[0] == '.' ? "_" + text : text;
}

bool isOfThisRun(const Job& other, const Job& job) {
  if (other.run_id != job.run_id || (other.pid == job.pid && other.started_at_ns == job.started_at_ns)) {
    return false;
  }
  const std::optional<uint64_t> parent_started = processStartTimeNs(static_cast<uint64_t>(getppid()));
  // Start times are known to a clock tick and the boot time to a second.
  constexpr uint64_t kSlackNs = 1'000'000'000;
  return other.ended_at_ns && parent_started && *other.ended_at_ns + kSlackNs > *parent_started;
}

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

std::string chooseReportPath(const std::string& folder, const std::string& name, const Job& job) {
  std::string path = folder + "/" + name + ".json";
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return path;
  }
  const Result<Report> there = reportFromJson(*text);
  if (there && !isOfThisRun(there->job, job)) {
    return path;
  }
  return folder + "/" + name + ".pid-" + std::to_string(job.pid) + ".json";
}

} // namespace commtap
