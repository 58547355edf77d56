// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/not_seen.h"

#include <array>
#include <cstddef>

namespace commtap {
namespace {

struct Reason {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Reason, kNotSeenCount> kReasons = {{
    {"collective_rows_full", "collectives counted in no row, because the table of distinct keys was full"},
    {"modules_full",
     "modules left out of `modules`, because the table was full; their collectives are billed to the "
     "nearest known parent"},
    {"parameters_full", "parameters left out of `modules[].parameters`, because the table was full"},
    {"groups_full", "process groups left out of `groups`, because the table was full; their collectives have no group"},
    {"strings_full", "names that did not fit; they read as \"?\""},
    {"unattributed_backward",
     "collectives of a backward whose forward is too long ago to be remembered; they are "
     "billed to Global"},
    {"unattributed_parameter",
     "collectives issued by the gradient of a tensor that is no module's parameter; they are "
     "billed to Global"},
    {"unknown_owner",
     "collectives of a sharded unit whose owner could not be told; they are billed to the module in "
     "which they were issued"},
    {"unknown_op", "collectives of an op that this version does not know; kind `other`, bytes of the first tensor"},
    {"unknown_group",
     "collectives whose process group could not be found; group \"?\", bus_bytes without a group size"},
    {"unwatched_op", "ops that could not be watched; their collectives appear as what they call, or not at all"},
    {"module_hook_missing", "module calls cannot be watched in this process; all collectives are billed to Global"},
    {"module_facts_missing", "modules or parameters whose names, shapes or placements could not be read"},
    {"module_stack_too_deep", "module calls nested deeper than is tracked; billed to the deepest module tracked"},
    {"internal_error", "observations that failed inside commtap; the job was not affected"},
    {"operation_rows_full", "ops counted in no row of `operations`, because the table of distinct keys was full"},
    {"steps_full", "steps added to the one that followed, because there was no room on the disk for another"},
    {"times_full", "timed collectives whose durations are in no row, because the table of them was full"},
    {"untimed",
     "collectives that COMMTAP_TIMING asked the durations of, but whose backend tells nothing that a duration could be "
     "made of, or whose process did not have commtap preloaded; they are counted and have no duration"},
    {"nccl_full", "calls to NCCL that are in no row of `nccl`, because a table of it was full"},
    {"unknown_communicator", "calls to NCCL whose communicator did not tell its size; their bytes are of one rank"},
    {"graph_table_full",
     "CUDA graphs, or what their launches communicate, that are not in `cuda_graphs`, because a table of it was full; "
     "their launches are in all other numbers"},
    {"group_ranks_full", "process groups without a list of their `ranks`, because the table of them was full"},
}};

const Reason& row(NotSeen reason) {
  const auto index = static_cast<size_t>(reason);
  return kReasons[index < kReasons.size() ? index : static_cast<size_t>(NotSeen::kInternalError)];
}

} // namespace

std::string_view notSeenName(NotSeen reason) {
  return row(reason).name;
}

std::string_view notSeenMeaning(NotSeen reason) {
  return row(reason).meaning;
}

} // namespace commtap
