// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// How much of a report is read.
enum class ReportDepth : bool {
  kCompared, ///< without the parameters of modules and without all but the newest kMostCompared last collectives
  kAll,
};

/// Reads report after report, many times faster than reportFromJson(). A document that it does not read without doubt
/// is left to reportFromJson(), so one place decides what a report is and what an error says. Needs one reader per
/// thread.
class FastReportReader {
 public:
  FastReportReader();
  FastReportReader(FastReportReader&&) noexcept;
  FastReportReader& operator=(FastReportReader&&) noexcept;
  ~FastReportReader();

  /// Returns the report in a file; an error names the path and what was found there.
  Result<Report> read(const std::string& path, ReportDepth depth = ReportDepth::kCompared);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace commtap
