// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_vocabulary.h"

#include <array>

namespace commtap {
namespace {

constexpr std::array<std::string_view, kHangStatusCount> kStatuses = {"healthy", "wrong", "failed", "stuck", "unknown"};
constexpr std::array<std::string_view, kRankStateCount> kStates =
    {"runs", "waits", "blocked", "stopped", "exited", "killed", "never_came", "ended", "unknown"};
constexpr std::array<std::string_view, kRankRoleCount> kRoles = {"cause", "victim", "other"};

struct Reason {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<Reason, kHangReasonCount> kReasons = {{
    {"none", "Nothing is wrong, or no process with a rank has left anything."},
    {"op", "Ranks of a group issued different collectives under one number."},
    {"size", "Ranks issued the same collective with different payloads."},
    {"dtype", "Ranks issued the same collective with different dtypes."},
    {"reduce_op", "Ranks issued the same collective with different reductions."},
    {"root", "Ranks issued the same collective with different roots."},
    {"skipped", "A rank left out a collective that the others issued, and went on with the next one."},
    {"extra", "A rank issued a collective that the others did not."},
    {"order", "Ranks issued the same two collectives in another order."},
    {"diverged", "Ranks of a group issued different collectives some time ago, before those that reports still hold."},
    {"unmatched", "A send and the receive that it meets have different payloads or dtypes."},
    {"cycle", "Ranks wait for each other."},
    {"killed", "A rank that others wait for was killed; or ranks were killed, and none waited."},
    {"exited", "A rank that others wait for has exited; or ranks exited with an error, and none waited."},
    {"stopped", "The process of a rank that others wait for, or may wait for, is stopped, by a signal or a debugger."},
    {"never_came", "A rank that others wait for has no report."},
    {"in_nccl", "A rank that others wait for is in a call to NCCL that has not returned."},
    {"blocked", "A rank that others wait for is blocked outside of communication: in input, output, a lock, a sleep."},
    {"not_come",
     "A rank that others waited for had not come when the job was ended. What it did until then is not known."},
    {"elsewhere", "A rank that others wait for is on another machine, and waits for nothing that its report holds."},
    {"computing", "A rank that others wait for computes."},
    {"not_completed", "All ranks have issued the same collective. Whether it completed is not known."},
    {"quiet", "No rank waits for another, and none makes progress."},
    {"damaged", "The ledger of a rank is damaged, so what it issued is not known."},
    {"not_joined", "Ranks of the newest job run, and have joined no process group."},
}};

} // namespace

std::string_view hangStatusName(HangStatus status) {
  return kStatuses.at(static_cast<size_t>(status));
}

std::string_view hangReasonName(HangReason reason) {
  return kReasons.at(static_cast<size_t>(reason)).name;
}

std::string_view hangReasonMeaning(HangReason reason) {
  return kReasons.at(static_cast<size_t>(reason)).meaning;
}

std::string_view rankStateName(RankState state) {
  return kStates.at(static_cast<size_t>(state));
}

std::string_view rankRoleName(RankRole role) {
  return kRoles.at(static_cast<size_t>(role));
}

} // namespace commtap
