// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "report/model/vocabulary.h"

namespace commtap {

/// How much a finding of `commtap verify` matters.
enum class VerifySeverity : uint8_t {
  kError,   ///< the training is wrong
  kWarning, ///< wrong, or meant so: a person must say
  kNote,    ///< no fault, but worth knowing
};
template <>
struct EnumNames<VerifySeverity> : Named<VerifySeverity> {
  static constexpr const char* kHelp =
      "error: the training is wrong. warning: wrong, or meant so. note: no fault, but worth knowing.";
  static constexpr auto kNames = std::to_array<std::string_view>({"error", "warning", "note"});
};
inline constexpr auto verifySeverityName = EnumNames<VerifySeverity>::name;

/// The kinds of findings. The order is that of the output, within a severity.
enum class VerifyClass : uint8_t {
  kSkippedStep,       ///< a rank made a step fewer than the others
  kNonFinite,         ///< infinities or NaN in the replicas of some ranks only
  kNonFiniteGradient, ///< infinities or NaN in the gradients of some ranks only
  kSourceOfNan,       ///< infinities or NaN on all ranks, and whence
  kSameGradient,      ///< the same gradient is used for other values
  kDrift,             ///< proven replicas differ
  kDeclared,          ///< declared replicas differ
  kNeverEqual,        ///< replicas differ from the first sample on
  kUnproven,          ///< started equal where others did not, and went apart
  kSeparate,          ///< started equal as all others did, and went apart
  kTied,              ///< parameters of two names started equal, and went apart
  kBuffers,           ///< buffers differ between ranks of one model
  kReductionsStop,    ///< reductions of gradients stop for the rest of the job
  kSameData,          ///< ranks read the same samples
  kReducedTwice,      ///< a reduction of what an earlier one made equal
  kNoContribution,    ///< ranks put only zeros into the reductions
  kTwinShards,        ///< shards of one tensor are equal
  kStuck,             ///< values never change, although there are gradients
  kNoGradient,        ///< the optimizer never has a gradient for the parameter
  kPeriodic,          ///< ranks go apart and are made equal again
  kExperts,           ///< experts that started equal went apart
  kOneWay,            ///< a forward communicates, and its backward does not
  kLoneReductions,    ///< gradients are reduced in groups of one rank only
  kUnusedDimension,   ///< a dimension of a mesh over which nothing communicates
  kGrowingGradient,   ///< gradients add up from step to step
  kOtherSize,         ///< what ranks put into the reductions is of another size
  kRankCopy,          ///< a parameter without an optimizer changes on some ranks only
  kRounding,          ///< replicas differ by rounding
  kUnmeasured,        ///< replicas differ, by how much is not known
  kFewerSteps,        ///< a rank has fewer samples than the others
};
template <>
struct EnumNames<VerifyClass> : Named<VerifyClass> {
  static constexpr const char* kHelp = "What was found; commtap help verify lists the classes.";
  static constexpr auto kValues = std::to_array<NamedValue>({
      {"skipped_step", "A rank made one update fewer than the others before the same step of the optimizer."},
      {"non_finite", "Some replicas of a parameter have infinities or NaN, and others have none."},
      {"non_finite_gradient",
       "Replicas are alike, and some of their gradients have infinities or NaN, and others have none."},
      {"source_of_nan", "Infinities or NaN on all ranks: whether one of them put these into a reduction of gradients."},
      {"same_gradient", "Ranks use the same gradient, and hold values that were equal before."},
      {"drift", "Ranks held replicas, which equal gradients or changes prove, and then other values."},
      {"declared", "Ranks hold replicas by declaration, started equal, and then had other values."},
      {"never_equal", "Replicas differ in the first sample already."},
      {"unproven",
       "Ranks started equal, in a parameter that was made equal or where others are replicas, and went apart."},
      {"separate", "Ranks started equal in all parameters, and went apart: another model each, or no reduction."},
      {"tied", "Parameters of two names, on ranks of two stages, started equal and went apart."},
      {"buffers", "Buffers differ between ranks that hold replicas of the parameters."},
      {"reductions_stop", "A group reduced gradients in each step of the job up to one, and in none after it."},
      {"same_data", "Ranks whose gradients are reduced together read the same samples."},
      {"reduced_twice", "Gradients that a reduction made equal on all ranks are reduced again."},
      {"no_contribution", "Ranks put only zeros into the reductions of a step, and others have gradients."},
      {"twin_shards", "All shards of a parameter started with the same values."},
      {"stuck", "The values never change, although there are gradients for them."},
      {"no_gradient", "The optimizer never had a gradient for the parameter, or only zeros."},
      {"periodic", "Ranks went apart and were equal again later: averaged now and then."},
      {"experts",
       "Parameters below a module with an all_to_all started equal, and went apart as experts do, next to a shared "
       "model."},
      {"one_way",
       "Modules that are trained gather or send values in the forward, and nothing communicates for them in the "
       "backward."},
      {"lone_reductions",
       "Gradients are reduced in a group of one rank: of ranks that went apart, or that do not communicate otherwise."},
      {"unused_dimension",
       "Nothing communicates over a dimension of a mesh, and gradients are reduced over another one."},
      {"growing_gradient", "What ranks put into the reductions grows with each step, and becomes more alike."},
      {"other_size", "Ranks put gradients into the reductions that are many times as large as the smallest."},
      {"rank_copy", "A parameter that no optimizer has changes on some ranks, and does not on others."},
      {"rounding", "Replicas differ by as much as ranks that round differently."},
      {"unmeasured", "Replicas differ, and their samples do not show by how much."},
      {"fewer_steps", "The last sample of some ranks is of an earlier step."},
  });
  static constexpr auto kNames = namesOf(kValues);
};
inline constexpr auto verifyClassName = EnumNames<VerifyClass>::name;
inline constexpr auto verifyClassMeaning = EnumNames<VerifyClass>::meaning;
inline constexpr int kVerifyClassCount = EnumNames<VerifyClass>::kCount;

/// Why the values of a parameter differ.
enum class DifferenceCause : uint8_t {
  kUnknown,    ///< there are no gradients to compare
  kFrozen,     ///< some ranks do not train the parameter
  kNoGradient, ///< some ranks have no gradient
  kUpdate,     ///< the gradients are equal
  kGradients,  ///< the gradients differ
  kAveraging,  ///< the gradients differ, and the optimizer's step reduces over the ranks
};
template <>
struct EnumNames<DifferenceCause> : Named<DifferenceCause> {
  static constexpr const char* kHelp =
      "Why the values differ. frozen, no_gradient: on the ranks in cause_ranks. update: the gradients are equal in "
      "gradient_step. gradients: they differ there. averaging: they differ, and the optimizer's step reduces over the "
      "ranks. unknown: there are none to compare.";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"unknown", "frozen", "no_gradient", "update", "gradients", "averaging"});
};
inline constexpr auto differenceCauseName = EnumNames<DifferenceCause>::name;

/// The evidence that ranks hold replicas of a parameter.
enum class ReplicaEvidence : uint8_t {
  kNone,
  kMesh,           ///< DTensor: one place on all sharded dimensions of one mesh
  kTensorParallel, ///< Megatron's attributes
  kDdp,            ///< one DistributedDataParallel has the parameter
  kFlatParameter,  ///< FSDP1: the same flat parameter at the start
  kGradients,      ///< equal gradients
  kChanges,        ///< values that changed and stayed equal
  kStart,          ///< equal values at the start
};
template <>
struct EnumNames<ReplicaEvidence> : Named<ReplicaEvidence> {
  static constexpr const char* kHelp =
      "Why the ranks are held for replicas. mesh, tensor_parallel, ddp, flat_parameter: declared. gradients, changes: "
      "proven. start: they were equal in the first sample. none: the finding is not about replicas.";
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"none", "mesh", "tensor_parallel", "ddp", "flat_parameter", "gradients", "changes", "start"});
};
inline constexpr auto replicaEvidenceName = EnumNames<ReplicaEvidence>::name;

/// The verdict of all findings together.
enum class VerifyStatus : uint8_t {
  kOk,
  kSuspect, ///< warnings, no error
  kWrong,
  kNothingToCompare, ///< no parameter has replicas, no reduction was sampled, and nothing was found
};
template <>
struct EnumNames<VerifyStatus> : Named<VerifyStatus> {
  static constexpr const char* kHelp =
      "wrong: there is an error. suspect: there is a warning, and no error. nothing_to_compare: no parameter has "
      "replicas, and no reduction of gradients was sampled. ok: else.";
  static constexpr auto kNames = std::to_array<std::string_view>({"ok", "suspect", "wrong", "nothing_to_compare"});
};
inline constexpr int kVerifyStatusCount = EnumNames<VerifyStatus>::kCount;
inline constexpr auto verifyStatusName = EnumNames<VerifyStatus>::name;

} // namespace commtap
