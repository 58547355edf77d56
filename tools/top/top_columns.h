// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/hang/verdict_columns.h"
#include "report/json/columns.h"
#include "report/json/fields.h"
#include "tools/live/late_watch.h"
#include "tools/top/top_rates.h"

namespace commtap {

/// The JSON of `commtap top`.
struct TopReport {
  std::string schema = "commtap.top/1";
  uint64_t at_ns = 0; ///< CLOCK_REALTIME
  double seconds = 0;
  uint64_t processes = 0;
  uint64_t step = 0;
  std::vector<Verdict> verdicts;
  std::vector<LateRank> late;
  std::vector<Rate> by_kind, by_group, by_module;
  std::vector<std::string> problems;
};

// The description of the JSON of `commtap top`.

template <>
inline constexpr auto kColumns<Rate> = std::tuple{
    column("run", &Rate::run, "The run and its attempt; `pid` and a number for a process without a run."),
    column(field::kName, &Rate::name, "The kind, group or module."),
    column("calls_per_second", &Rate::per_second, "Collectives per second."),
    column("bytes_per_second", &Rate::bytes_per_second, "Payload per second, in bytes."),
    column(field::kCount, &Rate::count, "Collectives since the start."),
    column(field::kBytes, &Rate::bytes, "Their payload in bytes."),
    column(
        "exposed_share",
        &Rate::exposed_share,
        "The share of the time in which the job stood still for them; null without COMMTAP_TIMING."),
    column(
        "busbw_bytes_per_second",
        &Rate::bus_bandwidth,
        "The bus bandwidth of those that completed in between; null if none has, or without COMMTAP_TIMING."),
};

template <>
inline constexpr auto kColumns<LateRank> = std::tuple{
    column(field::kRunId, &LateRank::run_id, "The run."),
    column(field::kAttempt, &LateRank::attempt, "Its attempt, from 0."),
    column(field::kRank, &LateRank::rank, "The rank that comes late again and again."),
    column(field::kModule, &LateRank::module, "Where it comes late most."),
    column(field::kGroup, &LateRank::group, "The group whose ranks wait there."),
    column("members", &LateRank::members, "The ranks of the group, as ranges."),
    column("wait_ns", &LateRank::wait_ns, "How long others wait for it in a step, in nanoseconds."),
    column("step_ns", &LateRank::step_ns, "How long a step takes, in nanoseconds."),
};

template <>
inline constexpr auto kColumns<TopReport> = std::tuple{
    column(field::kSchema, &TopReport::schema, kSchemaHelp),
    column<RealTime>("at", &TopReport::at_ns, "When the ledgers were read the second time."),
    column("seconds", &TopReport::seconds, "The time since the first."),
    column(field::kProcesses, &TopReport::processes, "How many processes run."),
    column(field::kStep, &TopReport::step, "The newest step of any process, from 0."),
    column("verdicts", &TopReport::verdicts, "What `commtap why` says of each job, with each rank's last call."),
    column("late", &TopReport::late, "The ranks that come late again and again."),
    column("by_kind", &TopReport::by_kind, "Rates by kind, the most payload per second first."),
    column("by_group", &TopReport::by_group, "Rates by group."),
    column("by_module", &TopReport::by_module, "Rates by module."),
    column(field::kProblems, &TopReport::problems, "One line for each file that could not be read."),
};

} // namespace commtap
