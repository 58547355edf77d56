// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <utility>

#include <fmt/format.h>

#include "report/verify/verify_judge.h"
#include "tools/text/text.h"
#include "tools/verify/not_sampled_text.h"
#include "tools/verify/run_samples.h"
#include "tools/verify/verify_text.h"

namespace commtap {

Result<Verification> verifiedRun(const std::string& path, const JobSelection& selection, const Progress& progress) {
  const Result<RunSamples> run = readRunSamples(path, selection, progress);
  if (!run) {
    return Result<Verification>::failure(run.error());
  }
  Verification result = verify(run->processes, run->facts);
  result.not_sampled = notSampledText(*run, result);
  result.problems = run->problems;
  result.unreadable = run->unreadable + run->doubled.size();
  addWords(result);
  return result;
}

std::optional<Verification> verifiedIfSampled(const std::string& path, const JobSelection& selection) {
  Result<Verification> result = verifiedRun(path, selection);
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

std::string verifiedLine(const std::string& path, const JobSelection& selection) {
  const std::optional<Verification> result = verifiedIfSampled(path, selection);
  if (!result) {
    return "";
  }
  const std::string_view line = result->line;
  return fmt::format(
      "verify: {}: commtap verify {}\n", line.substr(0, line.size() - (line.ends_with('.') ? 1 : 0)), pathWord(path));
}

} // namespace commtap
