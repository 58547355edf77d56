// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"

namespace commtap {

/// A process group of two ranks or more, with its name as its members' reports have it.
using GroupKey = std::pair<std::string, NamedGroup>;
/// How many collectives of a group each rank had issued at the start of a step.
using Issued = std::map<int64_t, uint64_t>;

/// Returns these numbers for each group that the reports know, by place in SampledOptimizer::steps.
std::map<GroupKey, std::vector<Issued>> issuedCollectives(const SampledOptimizer& optimizer, const JobFacts& facts);

} // namespace commtap
