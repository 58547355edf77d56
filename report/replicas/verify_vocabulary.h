// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace commtap {

/// How much a finding of `commtap verify` matters.
enum class VerifySeverity : uint8_t {
  kError,   ///< the training is wrong
  kWarning, ///< wrong, or meant so: a person must say
  kNote,    ///< no fault, but worth knowing
};
inline constexpr int kVerifySeverityCount = 3;

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
  kOtherSize,         ///< what ranks put into the reductions is of another size
  kRankCopy,          ///< a parameter without an optimizer changes on some ranks only
  kRounding,          ///< replicas differ by rounding
  kUnmeasured,        ///< replicas differ, by how much is not known
  kFewerSteps,        ///< a rank has fewer samples than the others
};
inline constexpr int kVerifyClassCount = 26;

/// Why the values of a parameter differ.
enum class DifferenceCause : uint8_t {
  kUnknown,    ///< there are no gradients to compare
  kFrozen,     ///< some ranks do not train the parameter
  kNoGradient, ///< some ranks have no gradient
  kUpdate,     ///< the gradients are equal
  kGradients,  ///< the gradients differ
  kAveraging,  ///< the gradients differ, and the optimizer's step reduces over the ranks
};
inline constexpr int kDifferenceCauseCount = 6;

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
inline constexpr int kReplicaEvidenceCount = 8;

/// The verdict of all findings together.
enum class VerifyStatus : uint8_t {
  kOk,
  kSuspect, ///< warnings, no error
  kWrong,
  kNothingToCompare, ///< no parameter has replicas, no reduction was sampled, and nothing was found
};
inline constexpr int kVerifyStatusCount = 4;

std::string_view verifySeverityName(VerifySeverity severity);
std::string_view verifyClassName(VerifyClass what);
/// Returns one sentence about the class.
std::string_view verifyClassMeaning(VerifyClass what);
std::string_view differenceCauseName(DifferenceCause cause);
std::string_view replicaEvidenceName(ReplicaEvidence evidence);
std::string_view verifyStatusName(VerifyStatus status);

} // namespace commtap
