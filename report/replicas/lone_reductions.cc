// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/lone_reductions.h"

#include "report/replicas/row_facts.h"

namespace commtap {

std::string loneReductions(const JobReport& job) {
  std::string group;
  if (job.world_size.value_or(0) < 2) {
    return group;
  }
  for (const JobCollective& row : job.collectives) {
    const bool is_alone = job.groups[row.group].size == 1;
    if (!is_alone && !row.setup && !isMetric(row)) {
      return "";
    }
    if (is_alone && isReductionForAll(row.kind) && row.phase == Phase::kBackward && group.empty()) {
      group = job.groups[row.group].name;
    }
  }
  return group;
}

} // namespace commtap
