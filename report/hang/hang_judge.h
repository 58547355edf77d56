// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_times.h"
#include "report/hang/verdict.h"

namespace commtap {

/// Returns why the ranks wait, except for Verdict::line, `stacks` and `problems`. `sights` has one process per rank of
/// one attempt of a run, by rank.
///
/// In this order: calls that differ between ranks are the cause, then ranks that cannot come (killed, exited, without a
/// report, stopped), then ranks that are blocked outside of communication. Ranks that wait for each other are a cycle.
/// The ranks that wait for a cause are victims, also those that wait for a victim.
Verdict judge(std::span<const RankSight> sights, const HangClock& clock);

} // namespace commtap
