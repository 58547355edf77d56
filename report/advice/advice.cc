// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "report/advice/advice_findings.h"
#include "report/job/exposed_time.h"
#include "report/model/module_tree.h"

namespace commtap {
namespace {

/// Below this, a collective's time is mostly its start.
constexpr double kSmallBytes = 64.0 * 1024;
/// Per step, rank, kind, phase and group.
constexpr double kManySmall = 50;
/// The bytes by which the busiest rank of an all_to_all is above the mean one, as a part of the mean.
constexpr double kUnevenShare = 0.25;

/// The part of calls that go if nine of ten steps leave them out.
constexpr double kRarely = 0.9;

constexpr std::string_view kLink = "commtap help advise";

constexpr std::array<AdviceRuleRow, 23> kRules = {{
    {AdviceRule::kDisagreement,
     "ranks_differ",
     "ranks of one group made different calls, and none failed or was killed: [ranks](ranks.md#when-ranks-disagree)",
     "Ranks of one process group made different calls: look at commtap show --ranks first.",
     "commtap help ranks"},
    {AdviceRule::kSmall,
     "small_collectives",
     "one kind, phase and group has 50 or more calls per rank and step, after the forward, in rows with a mean of less "
     "than 64 KiB; not what FSDP, DDP and DTensor call per unit or layer, nor backwards in a group where forwards "
     "communicate. One call is left",
     "Many small collectives of one kind in one phase and group: those that do not wait for each other, such as "
     "gradients, can go in one call.",
     kLink},
    {AdviceRule::kGatheredTwice,
     "gathered_twice",
     "FSDP2 gathers a module's parameters for the forward and again for the backward; what the backward gathers more "
     "often than the forward is not at stake",
     "FSDP2 gathers the same parameters for the forward and again for the backward: "
     "fully_shard(reshard_after_forward=False) keeps them, if there is memory for them.",
     kLink,
     /*takes_memory=*/true},
    {AdviceRule::kGatheredTwiceFsdp1,
     "gathered_twice_fsdp1",
     "FSDP1 gathers a module's parameters for the forward and again for the backward; what the backward gathers more "
     "often than the forward is not at stake",
     "FSDP1 gathers the same parameters for the forward and again for the backward: ShardingStrategy.SHARD_GRAD_OP "
     "(_HYBRID_SHARD_ZERO2 in place of HYBRID_SHARD) keeps them, if there is memory for them.",
     kLink,
     /*takes_memory=*/true},
    {AdviceRule::kPrefetchedInRecompute,
     "prefetched_in_recompute",
     "a recomputation (activation checkpointing) gathers parameters for another module, which then has more gathers "
     "than its forward and its backward need",
     "A recomputation prefetches parameters of another module once more than its forward and its backward need them: "
     "torch.utils.checkpoint with use_reentrant=False, or no explicit forward prefetch, avoids it.",
     kLink},
    {AdviceRule::kGatheredInRecompute,
     "gathered_in_recompute",
     "a module gathers its parameters for its recomputation, and then has more gathers than its forward and its "
     "backward need",
     "A recomputation gathers parameters that the backward gathers again: torch.utils.checkpoint with "
     "use_reentrant=False, or a checkpoint inside of the sharded module, avoids it.",
     kLink},
    {AdviceRule::kNeverUsed,
     "gathered_unused",
     "FSDP gathers a module's parameters, and no rank ever called the module",
     "FSDP gathers parameters of a module that is never called: if nothing else uses them, do not prefetch or unshard "
     "it, or leave it out of the sharded model.",
     kLink},
    {AdviceRule::kWideGradients,
     "wide_gradients",
     "FSDP gathers a module's parameters in 16 bits and reduces its gradients in float32; half of the bytes are at "
     "stake",
     "Gradients are reduced in a wider type than their parameters are gathered in: reduce_dtype of FSDP2's "
     "MixedPrecisionPolicy, or of FSDP1's MixedPrecision, decides it.",
     kLink},
    {AdviceRule::kReducedEachBackward,
     "reduced_each_backward",
     "steps have two or more micro-batches in the mean, each with a forward and a backward (the calls of an "
     "optimizer's closure in a step are one), and FSDP reduces a module's gradients at least twice per step; one "
     "reduction is left",
     "Several backwards before a step of the optimizer each reduce the gradients: reduce in the last one only (FSDP2: "
     "set_requires_gradient_sync(False), FSDP1: no_sync()), if there is memory for whole gradients.",
     kLink,
     /*takes_memory=*/true},
    {AdviceRule::kReducedEachBackwardDdp,
     "reduced_each_backward_ddp",
     "steps have two or more micro-batches in the mean, and DDP reduces per step at least 1.5 times the bytes of the "
     "parameters of a type, which it broadcast when it was made; these are left",
     "Several backwards before a step of the optimizer each reduce the gradients: reduce in the last one only, and run "
     "the others and their forwards under DistributedDataParallel.no_sync(), which takes no more memory.",
     kLink},
    {AdviceRule::kRecompute,
     "recomputed",
     "a recomputation makes a collective of the forward again, other than FSDP's",
     "Activation checkpointing repeats collectives of the forward: save their results with a selective policy, or "
     "checkpoint between them.",
     kLink},
    {AdviceRule::kUneven,
     "uneven_all_to_all",
     "in a training step, the busiest rank of a group sends or receives more than a quarter above the mean; this is at "
     "stake, call by call: `uneven_bytes` of [the merged report](ranks.md)",
     "Ranks of one group exchange unequal amounts, and all wait for the one with the most: balance them, for instance "
     "the tokens of experts. If the busiest rank is another from call to call, more is at stake.",
     kLink},
    {AdviceRule::kFullTensor,
     "full_tensor_in_step",
     "`DTensor.full_tensor()` gathers two or more tensors in every step, outside of modules",
     "DTensor.full_tensor() gathers whole tensors in every step, one call for each: where a norm or a sum is enough, "
     "take it of the DTensor itself, which sends numbers only.",
     kLink},
    {AdviceRule::kReducedAgain,
     "gradients_reduced_again",
     "`clip_grad_norm_` all_reduces DTensors, not only norms, and the optimizer's step does so with as many bytes, or "
     "a multiple of them",
     "Gradients are Partial DTensors: clip_grad_norm_ reduces them, and the optimizer's step again in each op that "
     "needs them. Reduce them once after the backward: p.grad = p.grad.redistribute(placements=p.placements).",
     kLink},
    {AdviceRule::kReducedWhole,
     "gradients_reduced_whole",
     "the optimizer's step all_reduces a module's gradients and all_gathers its parameters, as many times with as many "
     "bytes; half of what the all_reduce moves goes",
     "The optimizer's step all_reduces gradients, and gathers the parameters that the ranks then have updated in "
     "parts: if each uses only its part of the gradient, a reduce_scatter moves half as much.",
     kLink},
    {AdviceRule::kBarrier,
     "barrier_in_step",
     "every step has a barrier",
     "A barrier in every step: all ranks wait for the last. Collectives need no barrier between them.",
     kLink},
    {AdviceRule::kNumberReduced,
     "number_reduced_in_step",
     "every step all_reduces single numbers (8 bytes or less) in a row of `Global` and phase `other` without a label; "
     "nine of ten calls go",
     "A number, such as a loss, is all_reduced in every step: if it is for a log only, reduce it in every tenth.",
     kLink},
    {AdviceRule::kObjects,
     "objects_in_step",
     "every step sends Python objects",
     "Python objects are sent in every step: each is pickled, and its size is sent before it. Send tensors.",
     kLink},
    {AdviceRule::kAcrossHosts,
     "group_across_hosts",
     "a group's ranks are on several hosts and would fit into one, and no group inside of hosts has as many bytes; not "
     "in plans, which have one host",
     "A group spans hosts although it would fit into one, and no group inside of hosts communicates as much: order the "
     "mesh so that its ranks are neighbours.",
     kLink},
    {AdviceRule::kBucketOfOne,
     "bucket_of_one",
     "one layer fills several of DDP's buckets in a backward, so that all but the first hold one parameter",
     "One layer fills several of DDP's buckets, so a bucket holds one parameter: raise bucket_cap_mb.",
     kLink},
    {AdviceRule::kUnusedSought,
     "unused_sought",
     "DDP's backward reduces a map of used parameters in each step (`find_unused_parameters`), and every module "
     "without modules "
     "below it was called as often as the model",
     "DDP looks for parameters without a gradient in every backward, and every module was called: if each parameter "
     "gets a gradient, leave out find_unused_parameters.",
     kLink},
    {AdviceRule::kBuffersBroadcast,
     "buffers_broadcast",
     "DDP broadcasts buffers at least as often as there are steps, and on no rank one of them changes: "
     "[`members`](report.md#members)",
     "DDP broadcasts buffers in forwards, and torch counts no change of them: unless .data or a CUDA graph writes to "
     "them, leave it out by forward_sync_buffers=False of DDP, before torch 2.13 broadcast_buffers=False.",
     kLink},
    {AdviceRule::kPrefetchHidesNothing,
     "prefetch_hides_nothing",
     "FSDP gathers a module's parameters while another module runs, each call is [timed](timing.md), and the job "
     "stands still for at least nine tenths of the time that the gathers run, and a hundredth of a step",
     "FSDP prefetches parameters, and the job waits for them as long as if it did not: gather them earlier "
     "(set_modules_to_forward_prefetch or set_modules_to_backward_prefetch of FSDP2 with further modules), or in "
     "larger units that compute longer.",
     "commtap help timing"},
}};

/// The functions of c10d that send objects are labels of what they send.
bool sendsObjects(const JobCollective& row) {
  constexpr std::array<std::string_view, 6> kFunctions = {
      "all_gather_object",
      "broadcast_object_list",
      "gather_object",
      "recv_object_list",
      "scatter_object_list",
      "send_object_list"};
  return std::find(kFunctions.begin(), kFunctions.end(), row.label) != kFunctions.end();
}

/// Returns whether a row reduces single numbers, and torch has no name for it, as for the norms of gradients.
bool isNumber(const JobCollective& row) {
  return row.kind == Kind::kAllReduce && row.phase == Phase::kOther && row.module == kGlobalName && row.label.empty() &&
         areNumbers(row);
}

void findInEveryStep(Findings& findings) {
  for (const JobCollective& row : findings.job().collectives) {
    const bool is_barrier = row.kind == Kind::kBarrier;
    const bool is_number = isNumber(row);
    const bool is_sought = is_barrier || is_number || sendsObjects(row);
    if (is_sought && findings.trainingSteps() > 1 && findings.callsInEveryStep(row) >= 1) {
      const AdviceRule rule = is_barrier  ? AdviceRule::kBarrier
                              : is_number ? AdviceRule::kNumberReduced
                                          : AdviceRule::kObjects;
      findings.add(rule, row, is_number ? Stake{kRarely, kRarely} : Stake{});
    }
  }
}

/// Collectives of activations. What FSDP gathers in a recomputation has rules of its own.
void findRecomputed(const ShardedParameters& sharded, Findings& findings) {
  const auto keyOf = [](const JobCollective& row) {
    return std::tuple<std::string_view, std::string_view, size_t>(row.module, row.op, row.group);
  };
  std::set<decltype(keyOf(JobCollective()))> forward;
  for (const JobCollective& row : findings.job().collectives) {
    if (row.phase == Phase::kForward) {
      forward.insert(keyOf(row));
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    if (row.phase == Phase::kRecompute && forward.count(keyOf(row)) > 0 && !sharded.mayShard(row)) {
      findings.add(AdviceRule::kRecompute, row);
    }
  }
}

/// An optimizer that updates a part of each parameter, and uses no other part of its gradient.
void findReducedWhole(Findings& findings) {
  const auto keyOf = [](const JobCollective& row) {
    const RankedAmount& amount = row.amount;
    return std::tuple<std::string_view, size_t, std::string_view, size_t, uint64_t, uint64_t>(
        row.module, row.group, row.dtype, row.rank_set, amount.count.sum, amount.bytes.sum);
  };
  std::set<decltype(keyOf(JobCollective()))> gathered;
  for (const JobCollective& row : findings.job().collectives) {
    if (row.kind == Kind::kAllGather && row.phase == Phase::kOptimizer && row.module != kGlobalName) {
      gathered.insert(keyOf(row));
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    const bool is_reduction = row.kind == Kind::kAllReduce && row.phase == Phase::kOptimizer && !isFunctional(row);
    if (is_reduction && gathered.contains(keyOf(row))) {
      findings.add(AdviceRule::kReducedWhole, row, {0, 0.5});
    }
  }
}

void findUneven(Findings& findings) {
  for (const JobCollective& row : findings.job().collectives) {
    const auto bytes = static_cast<double>(row.amount.bytes.sum);
    const auto uneven = static_cast<double>(row.uneven_bytes);
    if (bytes > 0 && uneven > kUnevenShare * bytes && isTraining(row)) {
      findings.add(AdviceRule::kUneven, row, {0, uneven / bytes});
    }
  }
}

/// Returns whether torch makes a row's calls, one per unit or layer: FSDP, DDP, or DTensor.
bool isOfWrapper(const JobCollective& row, const ShardedParameters& sharded, const ModuleIndex& modules) {
  return sharded.mayShard(row) || isFunctional(row) || modules.isDdp(row.module);
}

/// Collectives of layers wait for one another, those of gradients do not. Where forwards communicate in a group, the
/// calls of backwards there may be of layers.
void findSmall(const ShardedParameters& sharded, const ModuleIndex& modules, Findings& findings) {
  std::map<std::tuple<Kind, Phase, size_t>, std::vector<const JobCollective*>> bins;
  std::set<size_t> of_layers;
  for (const JobCollective& row : findings.job().collectives) {
    const auto calls = static_cast<double>(row.amount.count.sum);
    const bool is_small = calls > 0 && static_cast<double>(row.amount.bytes.sum) / calls < kSmallBytes;
    const bool is_left_out = row.setup || isPointToPoint(row.kind) || row.kind == Kind::kBarrier || sendsObjects(row) ||
                             isOfWrapper(row, sharded, modules);
    if (row.phase == Phase::kForward) {
      of_layers.insert(row.group);
    } else if (is_small && !is_left_out && row.phase != Phase::kRecompute) {
      bins[{row.kind, row.phase, row.group}].push_back(&row);
    }
  }
  for (const auto& [key, rows] : bins) {
    const auto [kind, phase, group] = key;
    const double calls = findings.calls(rows);
    const double surely = findings.trainingSteps() > 1 ? findings.callsInEveryStep(rows) : 0;
    const double in_step = phase == Phase::kOther ? surely : calls;
    const bool holds = in_step >= kManySmall && (phase != Phase::kBackward || !of_layers.contains(group));
    for (const JobCollective* row : holds ? rows : std::vector<const JobCollective*>()) {
      findings.add(AdviceRule::kSmall, *row, {(in_step - 1) / calls, 0});
    }
  }
}

void findIdlePrefetches(const ShardedParameters& sharded, Findings& findings) {
  constexpr double kNearlyAll = 0.9;
  constexpr double kLeastOfStep = 0.01;
  const ExposedUnit unit(findings.job());
  for (const JobCollective& row : findings.job().collectives) {
    const bool is_prefetch = row.kind == Kind::kAllGather && isTraining(row) && row.issued_in != row.module &&
                             sharded.sharderOf(row) != Sharder::kNone;
    const bool is_timed = areAllTimed(row) && row.time.running_ns > 0;
    const auto exposed = static_cast<double>(row.time.exposed_ns);
    if (is_prefetch && is_timed && exposed >= kNearlyAll * static_cast<double>(row.time.running_ns) &&
        unit.partOfStep(row.time.exposed_ns).value_or(0) >= kLeastOfStep) {
      findings.add(AdviceRule::kPrefetchHidesNothing, row, {0, 0, 1});
    }
  }
}

} // namespace

std::span<const AdviceRuleRow> adviceRules() {
  return kRules;
}

std::vector<Advice> adviceFor(const JobReport& job) {
  Findings findings(job);
  const ShardedParameters sharded(job);
  const ModuleIndex modules(job);
  findSmall(sharded, modules, findings);
  findSharding(sharded, modules, findings);
  findRecomputed(sharded, findings);
  findUneven(findings);
  findReducedWhole(findings);
  findDtensors(findings);
  findInEveryStep(findings);
  findDdp(modules, findings);
  findIdlePrefetches(sharded, findings);
  if (!job.planned) { // all ranks of a plan have one host
    findAcrossHosts(findings);
  }
  std::vector<Advice> all = findings.take();
  const std::span<const Disagreement> serious = seriousDisagreements(job);
  const bool runs = isRunning(job);
  const auto may_yet_agree = [runs](const Disagreement& each) { return mayYetAgree(each, runs); };
  if (!hasEndedBadly(job) && !std::all_of(serious.begin(), serious.end(), may_yet_agree)) { // else see commtap why
    all.push_back({&kRules.at(static_cast<size_t>(AdviceRule::kDisagreement)), "", 0, 0, {}});
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    const auto key = [](const Advice& advice) {
      return std::tuple(
          advice.rule->rule != AdviceRule::kDisagreement, -advice.bytes, -advice.exposed_ns, -advice.calls);
    };
    return key(a) < key(b);
  });
  return all;
}

} // namespace commtap
