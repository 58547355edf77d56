// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Identifies a process group of one attempt of one run, whichever rank reports it: run, attempt, name, size, ranks.
using JobGroupKey = std::tuple<std::string, int64_t, std::string, uint32_t, std::vector<uint32_t>>;

inline JobGroupKey keyOf(const Job& job, const Group& group) {
  return {job.run_id, job.attempt, group.name, group.size, group.ranks};
}

} // namespace commtap
