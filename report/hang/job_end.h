// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"

namespace commtap {

/// How a job was ended: by its launcher, by a signal to all ranks, or by ranks that gave up waiting. A rank that was
/// alive until then is no cause because it is dead now.
struct JobEnd {
  std::set<int64_t> alive;            ///< ranks that have ended, and were alive when the job was ended
  std::vector<int64_t> failed;        ///< ranks that failed by themselves before: they had not waited
  std::set<int64_t> at_once;          ///< those of them that failed as soon as they had issued their last call
  std::vector<int64_t> gave_up;       ///< ranks that failed by themselves after a long wait, as NCCL's watchdog does
  std::optional<uint64_t> at_ns;      ///< CLOCK_REALTIME at which the first of `alive` began to end; nullopt: not known
  std::optional<int64_t> signal;      ///< that ended this rank; nullopt: not known, or it ended with a status
  std::optional<int64_t> exit_status; ///< of this rank, if no signal ended it

  bool wasEnded() const {
    return !alive.empty();
  }
};

/// A rank that fails after it waited for so long in a call has given it up, by a timeout of its own.
inline constexpr uint64_t kTimeoutNs = 10'000'000'000;

/// Returns how the job was ended. A rank gives up after it waited for `patience_ns`, or for kTimeoutNs. While ranks
/// still run, the end of others by a signal counts for a minute only: after it, the job is not being ended, but waits
/// for them.
JobEnd jobEndOf(std::span<const RankSight> sights, const Waits& waits, uint64_t now_ns, uint64_t patience_ns);

/// Returns when the process began to end: at its launcher's signal if it ended soon or did nothing since, else at its
/// end. Returns nullopt if that is not known, or the process runs.
std::optional<uint64_t> endBeganNs(const Report& report);

/// Returns when its launcher sent the process a signal, if it ended within a minute, by it or by itself.
std::optional<uint64_t> signalOfEnd(const Report& report);

/// Returns whether the process exited by itself, and not with an error, or was ended after its work.
bool hasFinished(const Job& job);

} // namespace commtap
