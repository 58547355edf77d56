// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// Reads report after report, many times faster than reportFromJson, and without what is not compared over ranks: the
/// modules' parameters, and all but what kMostCompared of the last collectives did. Whatever it is not sure of it
/// leaves to reportFromJson: what a report is, and what an error says about it, is decided in one place. One reader for
/// each thread.
class FastReportReader {
 public:
  FastReportReader();
  FastReportReader(FastReportReader&&) noexcept;
  FastReportReader& operator=(FastReportReader&&) noexcept;
  ~FastReportReader();

  /// The report in a file, or its path and what was found there.
  Result<Report> read(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace commtap
