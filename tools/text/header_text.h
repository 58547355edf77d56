// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// Whether numbers are sums over a run, of which ranks may be missing, or means over its ranks, or of one process.
enum class Scope : uint8_t { kRun, kRanks, kProcess };

/// Returns the lines above a job's numbers: the run, the ranks and those missing, how ranks ended unless it was
/// normally, and what commtap did not see.
std::string headerText(const JobReport& job, const Color& color);
std::string headerText(const JobReport& job, Scope scope, const Color& color);

/// Returns the ranks of one ending and how they ended: "rank 0-3: killed ..."; "" if they ended normally.
std::string exitText(const ExitSummary& exit);
/// Returns what is known of the end of a process that was killed: " after the launcher sent SIGTERM". `signal`: of the
/// report.
std::string killerText(std::optional<int64_t> signal);

/// Returns the number of ranks in a group; "?" if it is not known.
std::string sizeText(uint32_t size);

} // namespace commtap
