// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/verify_vocabulary.h"

#include <array>

namespace commtap {
namespace {

constexpr std::array<std::string_view, kVerifySeverityCount> kSeverities = {"error", "warning", "note"};
constexpr std::array<std::string_view, kDifferenceCauseCount> kCauses =
    {"unknown", "frozen", "no_gradient", "update", "gradients", "averaging"};
constexpr std::array<std::string_view, kReplicaEvidenceCount> kEvidence =
    {"none", "mesh", "tensor_parallel", "ddp", "flat_parameter", "gradients", "changes", "start"};
constexpr std::array<std::string_view, kVerifyStatusCount> kStatuses = {"ok", "suspect", "wrong", "nothing_to_compare"};

struct Class {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<Class, kVerifyClassCount> kClasses = {{
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
    {"lone_reductions", "Gradients are reduced in a group of one rank, and the ranks do not communicate otherwise."},
    {"other_size", "Ranks put gradients into the reductions that are many times as large as the smallest."},
    {"rank_copy", "A parameter that no optimizer has changes on some ranks, and does not on others."},
    {"rounding", "Replicas differ by as much as ranks that round differently."},
    {"unmeasured", "Replicas differ, and their samples do not show by how much."},
    {"fewer_steps", "The last sample of some ranks is of an earlier step."},
}};

} // namespace

std::string_view verifySeverityName(VerifySeverity severity) {
  return kSeverities.at(static_cast<size_t>(severity));
}

std::string_view verifyClassName(VerifyClass what) {
  return kClasses.at(static_cast<size_t>(what)).name;
}

std::string_view verifyClassMeaning(VerifyClass what) {
  return kClasses.at(static_cast<size_t>(what)).meaning;
}

std::string_view differenceCauseName(DifferenceCause cause) {
  return kCauses.at(static_cast<size_t>(cause));
}

std::string_view replicaEvidenceName(ReplicaEvidence evidence) {
  return kEvidence.at(static_cast<size_t>(evidence));
}

std::string_view verifyStatusName(VerifyStatus status) {
  return kStatuses.at(static_cast<size_t>(status));
}

} // namespace commtap
