// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/hang/verdict.h"
#include "report/verify/verification.h"
#include "tools/live/job_look.h"
#include "tools/live/live_folder.h"
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

  /// Returns the line of `commtap why` on an attempt that needs a look; "" for others.
  std::string why(const AttemptKey& key) const;
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

/// Follows what the samples of jobs in a folder show, as `commtap verify` does. Judges them again when they have grown.
class VerifyWatch {
 public:
  /// `path` is the folder with the samples of the reports.
  explicit VerifyWatch(std::string path) : path_(std::move(path)) {}

  /// Judges each attempt in `live` that has samples. Returns a line for each that has become suspect or wrong. Forgets
  /// other attempts.
  std::vector<std::string> look(const LiveReports& live);

  /// Returns the verdict of the last look; nullptr if the attempt has no samples.
  const Verification* verdictOf(const AttemptKey& key) const;
  /// Adds the verdicts of the last look.
  void addTo(Exposition& exposition) const;

 private:
  bool haveGrown();

  std::string path_;
  std::map<std::string, uint64_t> sizes_;                      ///< of the samples files
  std::map<AttemptKey, std::optional<Verification>> attempts_; ///< nullopt: no samples
};

} // namespace commtap
