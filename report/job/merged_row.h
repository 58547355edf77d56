// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/job/job_report.h"

namespace commtap {

/// Returns whether a compiler merged the row's calls from those of its members.
inline bool isMerged(const JobCollective& row) {
  return !row.members.empty() && row.members.front().count.has_value();
}

} // namespace commtap
