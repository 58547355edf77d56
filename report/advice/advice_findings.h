// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/advice/advice.h"
#include "report/job/job_report.h"
#include "report/job/job_summary.h"

namespace commtap {

/// The part of torch that shards parameters, gathers them and scatters their gradients.
enum class Sharder : uint8_t { kNone, kFsdp1, kFsdp2 };

/// Tells the all_gathers of FSDP's parameters and the reduce_scatters of their gradients from those that the model
/// makes itself, as sequence parallelism does. There are two proofs:
/// - The row's members are parameters: only FSDP2's units have such rows of these kinds.
/// - FSDP wraps the row's module, and in the row's group FSDP prefetches: a wrapped module's tensors are gathered while
///   another module runs. In a group where members are known, this proves only the rows of a module that is prefetched
///   itself and has no members in any row: those of parameters that tensor parallelism shards too are not known.
class ShardedParameters {
 public:
  /// `job` must outlive this.
  explicit ShardedParameters(const JobReport& job);

  /// Returns what sharded the parameters of a row; kNone for a row of which that is not proved.
  Sharder sharderOf(const JobCollective& row) const;

  /// Returns whether the row could be FSDP's, proved or not.
  bool mayShard(const JobCollective& row) const;

 private:
  Sharder wrapperOf(std::string_view module) const;

  using Place = std::pair<size_t, std::string_view>; ///< a group, and a module; "" for all of them

  std::unordered_map<std::string_view, Sharder> wrappers_; ///< of the modules that have one
  std::set<Place> prefetched_;
  std::set<Place> known_; ///< where rows have parameters as members
};

/// The part of a row that would go by an advice, of 1.
struct Stake {
  double calls = 1;
  double bytes = 1;
  double exposed = 0;
};

/// Collects what the rules find in a job, by rule and group. Numbers are per rank and step: of the ranks that have any
/// of the rows, and for each row of the steps that can have it.
class Findings {
 public:
  /// `job` must outlive the findings.
  explicit Findings(const JobReport& job);

  /// Adds a row that proves `rule`.
  void add(AdviceRule rule, const JobCollective& row, Stake stake = {});

  /// Returns the calls of several rows per rank and step.
  double calls(std::span<const JobCollective* const> rows) const;

  /// Returns the least number of calls that the row has in every training step, per rank; 0 if steps do not prove any,
  /// and for set-up. The report counts steps by kind and group. So the row may have made all calls by which a step
  /// exceeds the smallest one, and what then remains of the row is in every step. Steps that are added up may differ
  /// among themselves: they only count if single steps are known too.
  double callsInEveryStep(const JobCollective& row) const;

  /// Returns at least how many calls of several rows of one kind and group are in every training step, per rank.
  double callsInEveryStep(std::span<const JobCollective* const> rows) const;

  /// Returns the calls of a row over all ranks, without those of evaluations. The report counts steps by kind and
  /// group: a step that evaluates has its part of each row's calls.
  uint64_t trainingCalls(const JobCollective& row) const;

  const JobReport& job() const {
    return job_;
  }
  /// Returns the number of training steps; 0 if the job has no steps.
  uint64_t trainingSteps() const {
    return training_;
  }
  /// Returns whether the training steps have two or more micro-batches in the mean, each with a forward and a backward.
  /// A closure that an optimizer calls more than once in a step repeats one.
  bool hasMicroBatches() const;
  /// Returns the most backward passes that a rank may have made in the steps; 0 if it is not known.
  uint64_t backwardPasses() const {
    return backward_passes_;
  }
  /// Returns the findings by rule, then by group.
  std::vector<Advice> take();

 private:
  struct Found {
    Advice advice;
    RankUnion ranks;
  };

  /// The steps in which a kind and group are, and the calls that are not in a backward.
  struct StepsWith {
    uint64_t all = 0;
    uint64_t training = 0;
    uint64_t setup_calls = 0;
    uint64_t forward_calls = 0;    ///< of all rows that an evaluation may have
    uint64_t evaluation_calls = 0; ///< in steps that do not train
  };

  /// Returns the number of steps that can have the row: those in which its kind and group are, and only training steps
  /// for a phase that an evaluation does not have.
  double stepsOf(const JobCollective& row) const;
  void countSteps();

  const JobReport& job_;
  std::vector<StepsThatTrain> steps_;
  uint64_t training_ = 0;
  uint64_t backward_passes_ = 0;
  std::map<std::pair<Kind, size_t>, StepsWith> steps_with_; ///< by kind and group
  std::map<std::pair<AdviceRule, size_t>, Found> found_;
};

/// Returns whether a step of the training makes a row's calls, and not set-up or what surrounds the steps.
inline bool isTraining(const JobCollective& row) {
  return row.phase != Phase::kOther && !row.setup;
}

/// Returns whether a row's calls are functional collectives: those of DTensor, or of a compiler.
inline bool isFunctional(const JobCollective& row) {
  return row.op.starts_with("_c10d_functional");
}

/// Returns whether each call of a row sends one number, such as a norm.
inline bool areNumbers(const JobCollective& row) {
  constexpr uint64_t kBytesOfNumber = 8;
  return row.amount.bytes.sum <= kBytesOfNumber * row.amount.count.sum;
}

/// Finds DTensors that are gathered whole in every step, and gradients that are reduced at each use.
void findDtensors(Findings& findings);

/// Finds groups whose ranks could be on one host, where they would have the place of less communication.
void findAcrossHosts(Findings& findings);

/// The modules of a job by name: which of them DDP wraps, and which hold others.
class ModuleIndex {
 public:
  /// `job` must outlive the index.
  explicit ModuleIndex(const JobReport& job);

  bool isDdp(std::string_view name) const;
  bool isLeaf(std::string_view name) const;
  bool isNeverCalled(std::string_view name) const;
  /// Returns the calls in forwards over all ranks.
  uint64_t forwards(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, const JobModule*> modules_;
  std::set<std::string_view> parents_;
};

/// Finds what FSDP could communicate less: parameters that are gathered again, or for nothing, and wide gradients.
void findSharding(const ShardedParameters& sharded, const ModuleIndex& modules, Findings& findings);

/// Finds what an option of DDP would leave out.
void findDdp(const ModuleIndex& modules, Findings& findings);

} // namespace commtap
