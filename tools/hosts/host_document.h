// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/merge/job_reader.h"
#include "tools/live/job_look.h"

namespace commtap {

/// A request of a view of many hosts to each `commtap serve`. Its answer is bounded: by the groups of its processes, by
/// `last`, and by the modules in the sums of `traffic`.
struct HostQuestion {
  size_t last = 64;             ///< newest collectives of each process
  bool traffic = false;         ///< sums of the host's processes by kind, group and module
  std::vector<int64_t> rows_of; ///< ranks whose rows of collectives are wanted

  static constexpr size_t kMostLast = 4096;
  static constexpr size_t kMostRows = 16; ///< ranks
};

/// The processes of one host, as its `commtap serve` reports them.
struct HostDocument {
  std::string host;
  JobLook look; ///< its reports have groups, the newest collectives and the running step; see slimReport()
  Traffic traffic;
};

/// The path of the document in `commtap serve`.
inline constexpr const char* kHostPath = "/host";

/// Returns path and parameters of a question.
std::string addressOf(const HostQuestion& question);
/// Reads the parameters; those that are absent, wrong or too large count as their default.
HostQuestion questionFrom(const std::map<std::string, std::string>& parameters);

/// Returns what a verdict needs of a report: the process, its groups, its newest collectives and its last step.
Report slimReport(const Report& report, const HostQuestion& question);

/// Returns lines of JSON: the host first, then two lines for each process, its state and its slim report.
std::string hostText(const HostDocument& document, const HostQuestion& question);
/// Reads what hostText() wrote. An error says what was found.
Result<HostDocument> hostDocumentFrom(std::string_view text, FastReportReader& reader);

} // namespace commtap
