// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/run_names.h"

#include <algorithm>
#include <iterator>

namespace commtap {
namespace {

constexpr size_t kMostNamed = 10;

/// Returns the first ids, with names if `with_names`: "a" (baseline), "b".
std::string namesOf(const std::vector<FoundRun>& runs, bool with_names) {
  std::string text;
  for (size_t i = 0; i < std::min(runs.size(), kMostNamed); ++i) {
    text += (i == 0 ? "\"" : ", \"") + runs[i].run_id + "\"";
    text += with_names && !runs[i].name.empty() ? " (" + runs[i].name + ")" : "";
  }
  return text;
}

template <typename Fits>
std::vector<FoundRun> fitting(const std::vector<FoundRun>& runs, const Fits& fits) {
  std::vector<FoundRun> found;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(found), fits);
  return found;
}

} // namespace

std::vector<FoundRun> runsMeant(const std::vector<FoundRun>& runs, const std::string& text) {
  std::vector<FoundRun> found = fitting(runs, [&text](const FoundRun& run) { return run.run_id == text; });
  if (found.empty() && !text.empty()) {
    found = fitting(runs, [&text](const FoundRun& run) { return run.name == text; });
  }
  if (found.empty() && !text.empty()) {
    found = fitting(runs, [&text](const FoundRun& run) { return run.run_id.find(text) != std::string::npos; });
  }
  return found;
}

std::string notOneRun(const std::vector<FoundRun>& runs, const std::string& text) {
  const std::vector<FoundRun> found = runsMeant(runs, text);
  if (!found.empty()) {
    return "several runs match \"" + text + "\": " + namesOf(found, true) + ": give more of the id";
  }
  return "there is no report of run \"" + text + "\"" +
         (runs.empty() ? "" : "; the newest are " + namesOf(runs, false));
}

} // namespace commtap
