// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/model/model.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// Makes Chrome trace events of the steps and the last collectives of processes, one process after the other, which
/// Perfetto reads (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Arguments have the
/// names that PyTorch's profiler uses (pytorch/kineto, libkineto/include/MetadataFieldCatalog.h). A trace process is a
/// rank, a trace thread is a process group. A collective without start and end times is an instant event at the time of
/// its call. `distributedInfo`, which names a single rank, is there only for a single report.
class ChromeTrace {
 public:
  /// `processes`: every process of the trace. Times count from the start of the first.
  explicit ChromeTrace(std::span<const FoundReport> processes);

  /// Returns what the document has next: that of one more process.
  std::string textOf(const Report& report);
  /// Returns the end of the document.
  std::string end() const;

 private:
  std::string beginning(const Report* only) const;

  uint64_t base_ns_ = 0;
  bool is_alone_;
  bool has_begun_ = false;
};

} // namespace commtap
