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
     "modules left out of `modules`, because the table was full; their collectives are attributed to the "
     "nearest known parent"},
    {"parameters_full", "parameters left out of `modules[].parameters`, because the table was full"},
    {"groups_full", "process groups left out of `groups`, because the table was full; their collectives have no group"},
    {"strings_full", "names that did not fit; the report shows them as \"?\""},
    {"unattributed_backward",
     "collectives of a backward whose forward is too old to be remembered; they are attributed to Global"},
    {"unattributed_parameter",
     "collectives issued by the gradient of a tensor that is not a module's parameter; they are attributed to Global"},
    {"unknown_owner",
     "collectives of a sharded unit or a DDP module of which it is not known which; they are attributed to the module "
     "that issued them, else to Global"},
    {"unknown_op",
     "collectives of an op that this version does not know, or knows with other arguments; the kind of an unknown op "
     "is "
     "`other`, the bytes are those of the first tensor"},
    {"unknown_group",
     "collectives whose process group could not be found; their group is \"?\", bus_bytes assume a large group, and "
     "bytes "
     "that grow with the group cover one rank unless the op states the group's size"},
    {"unwatched_op", "ops that could not be hooked; their collectives appear as the ops that they call, or not at all"},
    {"module_hook_missing",
     "module calls cannot be observed in this process; all collectives are attributed to Global"},
    {"module_facts_missing", "modules or parameters whose names, shapes or placements could not be read"},
    {"module_stack_too_deep",
     "module calls nested too deep to be tracked; their collectives are attributed to the deepest tracked module"},
    {"internal_error", "errors inside commtap that lost an observation; the job was not affected"},
    {"operation_rows_full", "ops counted in no row of `operations`, because the table of distinct keys was full"},
    {"steps_full", "steps merged into the next step, because the disk had no space for more"},
    {"times_full", "timed collectives whose durations are in no row, because the table was full"},
    {"untimed",
     "collectives without a duration despite COMMTAP_TIMING: their backend reports no times, or commtap was not "
     "preloaded; they are counted"},
    {"nccl_full", "NCCL calls that are in no row of `nccl`, because a table was full"},
    {"unknown_communicator", "NCCL calls whose communicator did not report its size; their bytes count one rank"},
    {"graph_table_full",
     "CUDA graphs, or calls in them, that are not in `cuda_graphs`, because a table was full; all other numbers count "
     "their launches"},
    {"group_ranks_full", "process groups without a list of `ranks`, because the table was full"},
    {"switched_off",
     "processes in which commtap counted nothing: it stays off in a run after a fault that may be its own, which "
     "`detail` names"},
    {"symmetric_memory",
     "tensors of symmetric memory that the ranks exchanged in a process that called no op of `symm_mem`: kernels "
     "read and write them without a call that could be counted"},
    {"device_communicators",
     "device communicators of NCCL (ncclDevCommCreate): kernels communicate through them without a call that could be "
     "counted"},
    {"nccl_windows",
     "windows and one-sided calls of NCCL (ncclCommWindowRegister, ncclPutSignal, ncclSignal) outside of collectives; "
     "what other ranks and kernels write to windows or read from them is not counted in `collectives`"},
    {"device_libraries",
     "loaded libraries whose kernels communicate by themselves (DeepEP, NVSHMEM, NCCL EP); only what goes through an "
     "op "
     "in `collectives` is counted"},
    {"frames_unread",
     "collectives outside of every module for which Python's frames were not read, because reading had taken 50 ms and "
     "found nothing; those in the step of an optimizer that is not a torch.optim.Optimizer have the phase `other`"},
    {"torch_layout",
     "collectives that were not counted, processes in which nothing was, or timing that was switched off, because this "
     "torch's classes differ from those that the tracker was built for; `detail` names the first difference"},
    {"compiled_unattributed",
     "collectives of a compiled graph whose module inside the graph is not known; they are attributed to the compiled "
     "module. If the graph came from a compiler's cache, clear the cache and run once with commtap: later runs know "
     "it"},
    {"members_unknown",
     "collectives that a compiler merged, of which `members` does not have the modules: a module or its share is not "
     "known, or the table was full"},
    {"unsampled_parameters",
     "parameters or gradients that a sample for `commtap verify` left out: they are not dense tensors in the memory of "
     "the CPU or a CUDA GPU, or their values could not be read; `commtap verify` compares the others"},
    {"samples_lost",
     "samples for `commtap verify` that were due and are not in the samples' file, or lack the parameters of a GPU; "
     "`detail` says why; nothing is known of these parameters at these steps"},
    {"splits_full",
     "rows of collectives whose `splits` is absent or has no `peers`, because a table was full or the group has more "
     "than 1,024 ranks"},
    {"stalls_full",
     "times in which the job stood still whose module is not known, because a table was full; `stalled_in` has them "
     "with `module` null"},
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
