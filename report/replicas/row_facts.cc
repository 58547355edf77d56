// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/row_facts.h"

#include <cstdint>

namespace commtap {

bool isMetric(const JobCollective& row) {
  constexpr uint64_t kLargest = 64; // bytes
  return row.amount.bytes.sum <= kLargest * row.amount.count.sum;
}

bool isBelow(std::string_view name, std::string_view module) {
  return name.size() > module.size() && name.starts_with(module) && name[module.size()] == '.';
}

} // namespace commtap
