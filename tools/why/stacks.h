// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/hang/verdict.h"

namespace commtap {

/// Adds the stacks of the cause's processes on this machine to the verdict, as py-spy prints them. A line of `problems`
/// says why there are none.
///
/// `py-spy dump --nonblocking` reads the memory of the process and does not stop it. commtap sends no signal to a job:
/// it cannot know whether a handler that the job has is one that prints stacks.
void addStacks(Verdict& verdict);

} // namespace commtap
