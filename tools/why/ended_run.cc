// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/ended_run.h"

#include <fmt/format.h>

#include "tools/live/job_look.h"
#include "tools/text/text.h"
#include "tools/why/job_verdict.h"

namespace commtap {
std::string endedLine(const JobReport& job, const std::string& folder) {
  if (!hasEndedBadly(job)) {
    return "";
  }
  const JobLook look = lookAt({folder});
  const Verdict verdict = verdictOf(earlier(look), look, kDefaultPatienceS);
  const bool is_other = verdict.run_id != job.run_id || verdict.attempt != job.attempt;
  return is_other ? "" : fmt::format("why: {}: commtap why {}\n", verdict.line, pathWord(folder));
}

} // namespace commtap
