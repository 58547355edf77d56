// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Rules by which a job can communicate less. Each is a fact of rows.
enum class AdviceRule : uint8_t {
  kDisagreement, ///< ranks of one group differ
  kSmall,        ///< many small collectives of one kind, phase and group
  kGatheredTwice,
  kGatheredTwiceFsdp1,
  kPrefetchedInRecompute,
  kGatheredInRecompute,
  kNeverUsed,
  kWideGradients,       ///< reduced in a wider type than the parameters are gathered in
  kReducedEachBackward, ///< gradients of several backwards before one step of the optimizer
  kReducedEachBackwardDdp,
  kRecompute,
  kUneven,       ///< an all_to_all of which some rank has much more than another
  kFullTensor,   ///< DTensors that are gathered whole in each step
  kReducedAgain, ///< gradients that the optimizer reduces after the clipping has
  kReducedWhole, ///< gradients of parameters that the optimizer then gathers
  kBarrier,
  kNumberReduced, ///< such as a loss
  kObjects,
  kAcrossHosts,
  kBucketOfOne,  ///< DDP reduces a parameter by itself
  kUnusedSought, ///< a map of the parameters that have a gradient, where all modules are called
  kBuffersBroadcast,
  kPrefetchHidesNothing,
};

/// One row of the table of rules: the name in JSON, and the page that explains it.
struct AdviceRuleRow {
  AdviceRule rule;
  std::string_view name;
  std::string_view condition; ///< holds if: docs/advise.md has it
  std::string_view text;      ///< what the rows prove, and what to do
  std::string_view link;
  bool takes_memory = false; ///< what is no longer communicated is kept instead
};
std::span<const AdviceRuleRow> adviceRules();

/// A rule that holds for rows of a job.
struct Advice {
  const AdviceRuleRow* rule = nullptr;
  std::string group;                      ///< the name of a JobGroup; "" for several
  double calls = 0;                       ///< that would go, per rank and step
  double bytes = 0;                       ///< that would go, per rank and step
  std::vector<const JobCollective*> rows; ///< the proof: owned by the job
  double exposed_ns = 0;                  ///< at stake, per rank and step; 0 if the rule is not of times
  double memory_bytes = 0;                ///< about what a rank would keep instead; 0 if the rule takes no memory
};

/// Returns what the rows of a job prove: disagreements first, then by the bytes, the time and the calls that would go.
/// `job` must outlive it.
std::vector<Advice> adviceFor(const JobReport& job);

} // namespace commtap
