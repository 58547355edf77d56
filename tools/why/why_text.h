// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/hang/verdict_columns.h"
#include "tools/text/table.h"

namespace commtap {

/// The columns of a terminal on a wide screen. The line of a verdict in more columns leaves out details.
inline constexpr size_t kMostColumns = 160;

/// Returns whether a rank has exited or was killed.
bool isDead(RankState state);

/// Returns whether a process of the job runs, as far as is known.
bool isRunning(const Verdict& verdict);
/// Returns whether a process raises the signal against itself, by a fault or abort().
bool isFault(const std::optional<int64_t>& signal);

/// Returns "rank 1", "ranks 0-3"; of many ranges, the first ones and the number of ranks.
std::string someRanks(const RankRanges& ranges);

/// Returns "all_reduce #9 of tp [0-1]", "recv from rank 1".
std::string nameOf(const HangCall& call);

/// Returns ", last call all_reduce #9 of tp [0-1] for Net.a"; "" if it is not known.
std::string lastOf(const HangRank* rank);

/// Returns what is known of a rank's end: " (SIGTERM)", " with status 1". The verdict has no sender of a signal.
std::string endOf(const HangRank* rank);

/// Returns "ncclAllReduce, which has not returned for 42.0 s".
std::string openCallOf(const HangRank& rank);

/// Returns the first stretch in which ranks made other collectives, in one sentence.
std::string lineOfDivergence(const Verdict& verdict);

/// Returns the verdict in one sentence, without a line's end.
std::string lineOf(const Verdict& verdict);

/// Returns a line for each of the first `most` ranks, the causes first: the call that it waits in, and for which ranks.
std::string rankLines(const Verdict& verdict, size_t most);

/// Returns " (the event reported as wrong)" if a watch reported the event as less grave before, else "".
std::string earlierStatusText(const Verdict& verdict);

/// Returns the verdict's line, then what it rests on: the calls, the chain of ranks that wait, the counts that differ.
std::string whyText(const Verdict& verdict, const Color& color);

} // namespace commtap
