// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_run.h"

#include "report/base/timestamp.h"
#include "report/json/fields.h"
#include "tools/text/job_text.h"

namespace commtap::page {
namespace {

using nlohmann::json;

/// Returns the names of an enumeration's values, by number.
template <typename Enum, typename Name>
json namesOf(int count, Name name) {
  json names = json::array();
  for (int i = 0; i < count; ++i) {
    names.push_back(name(static_cast<Enum>(i)));
  }
  return names;
}

/// Escapes characters that could end the <script> element or begin a comment in it. JSON has them only in strings,
/// where escapes are valid.
std::string inScript(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

} // namespace

json factsOf(const JobReport& job) {
  return {
      {field::kRunId, job.run_id},
      {field::kRunName, job.name},
      {field::kAttempt, job.attempt},
      {field::kAttempts, job.attempts},
      {field::kWorldSize, cellOrNull(job.world_size)},
      {field::kStartedAt, formatTimestamp(job.started_at_ns)},
      {field::kEndedAt, job.ended_at_ns ? json(formatTimestamp(*job.ended_at_ns)) : json(nullptr)},
      {field::kTorch, job.torch_version},
      {field::kCommtap, job.commtap_version},
      {field::kArgv, job.argv},
      {field::kPlanned, job.planned},
      {field::kOtherRuns, job.other_runs},
      {field::kSource, job.source},
      {"late", lateLines(job)},
  };
}

json processesOf(const JobReport& job, Strings& strings) {
  return columnsOf(
      job.processes,
      {field::kRank,
       field::kHost,
       field::kPid,
       field::kEndedAt,
       field::kLastActivityAt,
       field::kExit,
       field::kExitSignal,
       field::kExitStatus},
      strings);
}

json phaseNames() {
  return namesOf<Phase>(kPhaseCount, phaseName);
}

json kindNames() {
  return namesOf<Kind>(kKindCount, kindName);
}

std::string documentText(const json& document) {
  return inScript(document.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace));
}

} // namespace commtap::page
