// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/model/model.h"

namespace commtap {

/// Selects how much of a report is read.
enum class ReportDepth : bool {
  kCompared, ///< no module parameters; the newest kMostCompared last collectives
  kAll,
};

/// Reads reports with simdjson, many times faster than reportFromJson(), by the same overloads of readField(): both
/// accept the same documents with the same errors. Needs one reader per thread.
class FastReportReader {
 public:
  FastReportReader();
  FastReportReader(FastReportReader&&) noexcept;
  FastReportReader& operator=(FastReportReader&&) noexcept;
  ~FastReportReader();

  /// Returns the report in a file. An error names the path and what was found there, also that reading it would take
  /// more than `memory` bytes.
  Result<Report>
  read(const std::string& path, ReportDepth depth = ReportDepth::kCompared, uint64_t memory = maxInputSize());
  /// Returns the report in `text`. An error begins with `name`.
  Result<Report> readText(const std::string& name, std::string text, ReportDepth depth);

 private:
  struct State;

  Result<Report> parse(const std::string& name, std::string& text, ReportDepth depth, uint64_t memory);
  static Result<Report> parseBy(State& state, const std::string& name, std::string& text, ReportDepth depth);

  std::unique_ptr<State> state_;
};

} // namespace commtap
