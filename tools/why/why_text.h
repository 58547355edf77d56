// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/hang/verdict.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns the verdict in one sentence, without a line's end.
std::string lineOf(const Verdict& verdict);

/// Returns a line for each of the first `most` ranks, the causes first: the call that it waits in, and for which ranks.
std::string rankLines(const Verdict& verdict, size_t most);

/// Returns " (the event reported as wrong)" if a watch reported the event as less grave before, else "".
std::string earlierStatusText(const Verdict& verdict);

/// Returns the verdict's line, then what it rests on: the calls, the chain of ranks that wait, the counts that differ.
std::string whyText(const Verdict& verdict, const Color& color);

/// Returns the JSON of the verdict, with a line's end.
std::string whyJson(const Verdict& verdict);

} // namespace commtap
