// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/advice_line.h"

#include <fmt/format.h>

#include "report/job/step_count.h"
#include "report/model/saturating.h"
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

std::string adviceMemoryText(const Advice& advice, const JobReport& job) {
  uint64_t steps = 0;
  uint64_t passes = 0;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    addSaturating(steps, each.training);
    addSaturating(passes, each.training > 0 ? each.row->backward_passes.value_or(0) : 0);
  }
  if (!advice.rule->takes_memory || steps == 0 || passes < steps) {
    return "";
  }
  const double bytes = advice.bytes * static_cast<double>(steps) / static_cast<double>(passes);
  return fmt::format("; keeping it takes about {} per rank", humanBytes(bytes));
}

std::string adviceLine(const std::vector<Advice>& advice, const std::string& amount, const std::string& path) {
  if (advice.empty()) {
    return "";
  }
  const std::string more = advice.size() > 1 ? fmt::format(" and {} more", advice.size() - 1) : "";
  return fmt::format("advice: {}{}{}: commtap advise {}\n", advice[0].rule->name, amount, more, pathWord(path));
}

} // namespace commtap
