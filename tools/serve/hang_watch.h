// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/hang/verdict.h"
#include "tools/live/job_look.h"
#include "tools/metrics/exposition.h"
#include "tools/serve/live_jobs.h"
#include "tools/why/incident.h"

namespace commtap {

/// Follows whether the jobs of one host hang, as `commtap why` does, from one reading of their ledgers to the next.
/// The ranks of other hosts are not known here.
class HangWatch {
 public:
  /// Judges each attempt in `now` that has a rank. Returns a line for each hang that is new. Forgets other attempts.
  std::vector<std::string> look(const JobLook& now);

  /// Adds the verdicts of the last look.
  void addTo(Exposition& exposition) const;

 private:
  struct Attempt {
    EarlierLook before;
    Incidents incidents;
    Verdict verdict;
    bool seen = false;
  };

  static void judge(JobLook now, Attempt& attempt);

  std::map<AttemptKey, Attempt> attempts_;
};

} // namespace commtap
