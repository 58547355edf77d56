// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/model.h"

namespace commtap {

/// Returns whether the row moves a few elements only, as of a loss that a module reduces for its log.
bool isMetric(const JobCollective& row);

/// Returns whether the parameter or module is the module's, or that of a module below it.
bool isBelow(std::string_view name, std::string_view module);

/// Returns the group of one rank in which a job of several ranks reduces its gradients, if these ranks communicate in
/// no other way after set-up; else "".
std::string loneReductions(const JobReport& job);

/// Modules whose forward gathers or sends values of other ranks, and for which nothing communicates in the backward.
struct OneWayModules {
  std::string group;
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each such group
  std::vector<std::string> modules;           ///< sorted
};

/// Returns the modules by group. A module has a way back if in its group there is a row of a backward pass at it, below
/// it, above it or at Global, or a reduction of tensors outside of any pass.
std::vector<OneWayModules> oneWayModules(const JobReport& job);

/// Reductions of a backward pass that a job made in each of its first steps, and in none of its last ones.
struct StoppedReductions {
  Kind kind = Kind::kOther;
  std::string group;
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each such group
  uint64_t last_step = 0;                     ///< the last step with reductions, from 1
  uint64_t end_step = 0;                      ///< the last complete step of the job, from 1
};

/// Finds the process groups whose reductions stop for the rest of the job, three complete steps or more. Groups that
/// also reduce outside of backward passes, as for a loss that is logged, do not count.
std::vector<StoppedReductions> stoppedReductions(const JobReport& job);

/// The global ranks of a process group, as the report lists them.
using GroupRanks = std::vector<uint32_t>;

/// A process group of a report.
struct NamedGroup {
  GroupRanks ranks;
  std::string title; ///< groupTitle()

  auto operator<=>(const NamedGroup&) const = default;
};

/// Groups in which an optimizer's step reduces, and the steps of the job, from 1, in which anything reduces in them.
struct AveragedSteps {
  std::vector<GroupRanks> members; ///< sorted
  std::vector<uint64_t> steps;     ///< ascending, those that the report has by themselves
};

/// Facts from the reports of a run with which its samples are judged.
struct JobFacts {
  std::vector<GroupRanks> messages;            ///< groups whose ranks send to each other, sorted
  std::vector<GroupRanks> tensor_groups;       ///< groups of tensor parallelism, sorted; those sure by name first
  std::vector<std::string> all_to_all_modules; ///< modules that exchange tokens
  std::vector<GroupRanks> exchanges;           ///< the groups in which they do, sorted
  std::vector<GroupRanks> activations;         ///< the groups in which a forward reduces or exchanges, sorted
  std::vector<GroupRanks> gathers;             ///< the groups in which a forward gathers, sorted
  std::vector<GroupRanks> collectives;         ///< all groups with a collective of more than a metric, sorted
  std::vector<AveragedSteps> averages;
  std::vector<GroupRanks> mixes;          ///< the groups that may average values outside of a backward
  std::vector<GroupRanks> refills;        ///< the groups that broadcast or gather values after set-up, sorted
  bool has_rows = false;                  ///< false: nothing is known of what the job communicates
  std::string coarse_dtype;               ///< "bfloat16" or "float16", if a forward communicates in it; else ""
  std::vector<StoppedReductions> stopped; ///< reductions that stop for the rest of the job
  std::vector<OneWayModules> one_way;     ///< modules that communicate in the forward only
  std::string lone_reductions;            ///< the group of one rank in which all gradients are reduced; else ""
  std::vector<GroupRanks> backwards;      ///< the groups in which a backward reduces, sorted
  std::set<std::pair<std::string, int64_t>> mesh_dims;          ///< names of the dimensions of meshes, and their sizes
  std::map<std::string, std::set<GroupRanks>> idle_dimensions;  ///< of meshes: groups in which nothing was issued
  std::map<std::pair<int64_t, std::string>, NamedGroup> groups; ///< by rank and name in its report

  /// Returns the ranks of the tensor parallel group of a rank; nullptr if it is not known.
  const GroupRanks* tensorGroupOf(int64_t rank) const;
  /// Returns whether a rank of `a` and one of `b` are in a group that sends and receives.
  bool hasMessages(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether a rank of `a` and one of `b` may share a collective. Ranks that do not each train a model.
  bool mayCommunicate(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether an optimizer's step reduces over a rank of `a` and one of `b`, as local SGD averages values.
  bool reducesInStep(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns the first step after `step` that may average over a rank of `a` and one of `b`; nullopt if none is known.
  std::optional<uint64_t> averageAfter(std::span<const int64_t> a, std::span<const int64_t> b, uint64_t step) const;
  /// Returns whether the values of a rank of `a` and one of `b` may be averaged now and then.
  bool mayAverage(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether a rank of `a` and one of `b` are in a group in which a backward reduces.
  bool reducesInBackward(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether a rank of `a` and one of `b` may share activations, as those with parts of one tensor do.
  bool exchangesInForward(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether what differs between a rank of `a` and one of `b` may be made equal again.
  bool mayBeMadeEqual(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns whether a rank of `a` and one of `b` exchange tokens, as ranks with other experts do. The replicas of an
  /// expert do not.
  bool hasExchange(std::span<const int64_t> a, std::span<const int64_t> b) const;
  /// Returns the innermost module with an all_to_all that has the parameter; "" if there is none.
  std::string_view expertsAbove(std::string_view parameter) const;
};

JobFacts jobFactsOf(const JobReport& job);

/// Adds the groups of a process with a rank, and those of a mesh's dimensions that it did not use.
void addGroups(JobFacts& facts, const Report& report);

} // namespace commtap
