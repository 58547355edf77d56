// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model/rank_ranges.h"
#include "report/replicas/job_facts.h"
#include "report/replicas/verify_vocabulary.h"
#include "report/samples/samples.h"

namespace commtap {

/// Ranks that a finding compares.
struct VerifyRanks {
  RankRanges ranks;
  std::vector<RankRanges> parts; ///< ranks with equal values, most ranks first; empty if ranks are not compared

  bool operator==(const VerifyRanks&) const = default;
};

/// Parameters with one fault, in one step.
struct VerifyFinding {
  VerifySeverity severity = VerifySeverity::kNote;
  VerifyClass what = VerifyClass::kRounding;
  std::vector<std::string> lines; ///< for people
  uint32_t optimizer = 0;
  std::optional<uint64_t> before;          ///< the last sampled step without the fault; nullopt if there is none
  std::optional<uint64_t> step;            ///< the first sampled step with it; nullopt for a fault of the whole run
  std::vector<std::string> parameters;     ///< the first one is where it began, or most apart
  std::vector<VerifyRanks> sets;           ///< of ranks with this fault; several if groups of ranks have the same one
  std::optional<double> value_distance;    ///< the largest: norm of the difference by norm of the values
  std::optional<double> gradient_distance; ///< the largest, in gradient_step
  std::optional<uint64_t> gradient_step;   ///< `before` if the update of that step made the values differ, else `step`
  DifferenceCause cause = DifferenceCause::kUnknown;
  RankRanges cause_ranks; ///< those that are frozen, have no gradient, are ahead or behind
  ReplicaEvidence evidence = ReplicaEvidence::kNone;
  std::optional<uint64_t> last_step;         ///< the last sampled step that has the fault, where that was looked for
  std::vector<std::string> later_parameters; ///< that went apart between these ranks too, by name
  std::optional<uint64_t> later_step;        ///< the first of these samples
  std::string group;                         ///< of skipped_step, of rows and of inputs of reductions; "" for others
  std::vector<std::string> modules;          ///< of one_way, and of reduced_twice that of the first reduction
  uint64_t collectives = 0;    ///< of skipped_step: by how many collectives of the group the ranks are ahead
  std::optional<double> ratio; ///< same_data: the least part of the samples; other_size: the least factor of the norms
};

/// The JSON of `commtap verify`. docs/schema/commtap-verify-1.schema.json describes each field.
struct Verification {
  std::string schema = "commtap.verify/1";
  VerifyStatus status = VerifyStatus::kNothingToCompare;
  std::string line; ///< in one sentence
  std::string run_id;
  uint64_t other_runs = 0; ///< in the folder of the run
  int64_t attempt = 0;
  std::optional<int64_t> world_size;
  RankRanges ranks;                   ///< with samples
  uint64_t optimizers = 0;            ///< with samples
  uint64_t samples = 0;               ///< steps that two ranks or more sampled, all at one moment, of all optimizers
  std::optional<uint64_t> first_step; ///< of these steps
  std::optional<uint64_t> last_step;
  uint64_t parameters = 0;             ///< distinct ones over all ranks
  uint64_t replicated = 0;             ///< parameters with replicas that were compared
  uint64_t equal = 0;                  ///< of these: bitwise equal in all samples
  uint64_t unproven = 0;               ///< parameters that started equal and went apart, which nothing proves replicas
  uint64_t incomplete = 0;             ///< parameters that some sample of their optimizer lacks on a rank that has them
  uint64_t unreadable = 0;             ///< files of samples that could not be read or judged; not in the document
  uint64_t apart = 0;                  ///< samples of ranks that were at another moment of the job; not in the document
  uint64_t sharded = 0;                ///< parameters that are declared shards, and have no replicas
  uint64_t reductions = 0;             ///< tensors in reductions of gradients, compared in all samples together
  uint64_t buffers = 0;                ///< of models, compared between ranks
  uint64_t equal_buffers = 0;          ///< of these: bitwise equal in all samples
  uint64_t rows = 0;                   ///< of data, compared so
  std::vector<VerifyRanks> replicas;   ///< the sets of ranks that hold replicas, most parameters first
  std::vector<VerifyFinding> findings; ///< by worth
  std::vector<std::string> not_sampled; ///< for people: what is missing in the samples
  std::vector<std::string> problems;
};

/// Returns what the samples of a run's ranks show, except for the texts and `problems`. Takes of each rank the process
/// with the most samples.
Verification verify(std::span<const ProcessSamples> processes, const JobFacts& facts);

} // namespace commtap
