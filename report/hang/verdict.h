// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/hang/hang_vocabulary.h"
#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// A collective, send or receive, as the ranks in `ranks` made it.
struct HangCall {
  RankRanges ranks;
  std::string group; ///< its title
  RankRanges members;
  uint64_t sequence = 0;
  Kind kind = Kind::kOther;
  std::string op;
  std::string module;
  Phase phase = Phase::kOther;
  uint64_t bytes = 0;
  std::string dtype;           ///< "" for none
  std::string reduce_op;       ///< "" for none
  std::optional<int64_t> root; ///< global rank
  std::optional<int64_t> peer; ///< global rank
  uint64_t step = 0;
  uint64_t issued_at_ns = 0; ///< CLOCK_REALTIME
};

struct HangRank {
  int64_t rank = 0;
  RankRole role = RankRole::kOther;
  RankState state = RankState::kUnknown;
  std::string host;
  std::optional<uint64_t> pid;
  std::optional<int64_t> exit_signal;
  std::optional<int64_t> exit_status;
  std::optional<uint64_t> ended_at_ns;   ///< CLOCK_REALTIME; not part of the document
  std::string process;                   ///< its state in words; "" if not known
  std::optional<HangCall> call;          ///< the one it waits in, else the last it issued
  RankRanges waits_for;                  ///< empty if it waits for no rank
  bool inferred = false;                 ///< that it waits in `call` follows from its being the last one
  std::optional<uint64_t> steps;         ///< that it has ended
  std::string open_call;                 ///< to NCCL or for a group, not returned; "" if there is none
  std::optional<uint64_t> open_since_ns; ///< CLOCK_REALTIME
  bool child_computes = false;           ///< a child process uses a processor; not part of the document
  double open_s = 0;                     ///< since then, if the rank still runs; not part of the document
};

/// A row of collectives that ranks of a group count differently.
struct HangCount {
  std::string module;
  Phase phase = Phase::kOther;
  std::string op;
  std::string dtype;     ///< "" for none
  std::string reduce_op; ///< "" for none
  RankRanges cause;
  uint64_t cause_count = 0;
  RankRanges others;
  uint64_t others_count = 0;
};

/// The first stretch in which the ranks of a group made other collectives.
struct HangDivergence {
  std::string group;
  RankRanges members;
  RankRanges ranks; ///< those that differ from the others
  uint64_t from = 0;
  uint64_t to = 0;
};

/// How a job was ended whose ranks did not all end by themselves.
struct HangEnd {
  std::optional<uint64_t> at_ns; ///< CLOCK_REALTIME
  std::optional<int64_t> signal;
  std::optional<int64_t> exit_status;
  RankRanges gave_up; ///< the ranks that ended it, because they had waited for too long
};

/// The stack of a rank's process, from a tool.
struct HangStack {
  int64_t rank = 0;
  uint64_t pid = 0;
  std::string command;
  std::string text;
};

/// The JSON of `commtap why`. docs/schema/commtap-why-1.schema.json describes each field.
struct Verdict {
  std::string schema = "commtap.why/1";
  HangStatus status = HangStatus::kUnknown;
  std::optional<HangStatus> earlier_status; ///< the status as which a watch reported the same event before
  HangReason reason = HangReason::kNone;
  std::string line;      ///< in one sentence
  bool inferred = false; ///< parts follow from the order of events, not from what ranks wrote
  std::string run_id;
  int64_t attempt = 0;
  std::optional<int64_t> world_size;
  RankRanges cause;                         ///< the ranks to exclude or to look at
  std::optional<HangCall> call;             ///< the one that the cause has not entered, or that it made otherwise
  std::vector<HangCall> calls;              ///< where ranks made other calls under one number: each call with its ranks
  std::optional<uint64_t> since_ns;         ///< CLOCK_REALTIME
  std::optional<HangEnd> end;               ///< nullopt for a job that goes on, or ended by itself
  std::optional<uint64_t> last_activity_ns; ///< CLOCK_REALTIME; of any rank
  double waits_s = 0;                       ///< since `since_ns`, until the end if its time is known
  double quiet_s = 0;                       ///< since the last event of any rank, until the end if its time is known
  std::vector<HangRank> ranks;
  std::vector<HangCount> counts;
  bool went_on = false;          ///< the cause made calls after the one in place of what it skipped; not part of it
  double patience_s = 0;         ///< how long a wait is healthy; not part of the document
  uint64_t reported = 0;         ///< ranks with a report; 0 if not known; not part of the document
  std::vector<int64_t> compared; ///< the ranks whose rows `counts` compares; not part of the document
  std::optional<HangDivergence> divergence;
  std::vector<HangStack> stacks;
  std::vector<std::string> problems;
};

} // namespace commtap
