// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/hang/verdict.h"
#include "report/job/job_report.h"
#include "tools/live/job_look.h"

namespace commtap {

/// Seconds that ranks which may still come must be without an event, unless the user says otherwise.
inline constexpr double kDefaultPatienceS = 60;

/// Returns why the newest job in `now` hangs. Its status is HangStatus::kUnknown if there is no process with a rank.
Verdict verdictOf(const EarlierLook& before, const JobLook& now, double patience_s);

/// Returns whether a job hangs, has failed or was killed, as far as the verdict knows.
bool needsLook(const Verdict& verdict);

/// Returns the line "why: ..." for commands that show other facts of a run, with the command that shows more; "" if no
/// rank failed or was killed, and the ranks run or have made the same calls, or the newest run in the folder is
/// another.
std::string endedLine(const JobReport& job, const std::string& folder);

/// Adds the stacks of the cause's processes on this machine to the verdict, as py-spy prints them. A line of `problems`
/// says why there are none.
///
/// `py-spy dump --nonblocking` reads the memory of the process and does not stop it. commtap sends no signal to a job:
/// it cannot know whether a handler that the job has is one that prints stacks.
void addStacks(Verdict& verdict);

} // namespace commtap
