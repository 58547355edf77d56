// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/advice_line.h"

#include <fmt/format.h>

#include "tools/text/job_means.h"
#include "tools/text/text.h"

namespace commtap {

std::string adviceShareText(const Advice& advice, const JobReport& job) {
  const Means means(job);
  Mean all;
  for (const JobCollective& row : job.collectives) {
    if (!row.setup) {
      means.add(row, all);
    }
  }
  Mean part;
  for (const JobCollective* row : advice.rows) {
    if (!row->setup) {
      means.add(*row, part);
    }
  }
  return part.bytes > 0 ? fmt::format("; its rows have {:.1f} % of the bytes", 100 * part.bytes / all.bytes) : "";
}

std::string adviceMemoryText(const Advice& advice) {
  return advice.memory_bytes > 0 ? fmt::format("; keeping it takes about {} per rank", humanBytes(advice.memory_bytes))
                                 : "";
}

std::string adviceLine(const std::vector<Advice>& advice, const std::string& amount, const std::string& path) {
  if (advice.empty()) {
    return "";
  }
  const std::string more = advice.size() > 1 ? fmt::format(" and {} more", advice.size() - 1) : "";
  return fmt::format("advice: {}{}{}: commtap advise {}\n", advice[0].rule->name, amount, more, pathWord(path));
}

} // namespace commtap
