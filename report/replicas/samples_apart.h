// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"

namespace commtap {

/// Returns the samples whose step has the number of other ranks' steps and is another moment of the job: the rank had
/// issued more or fewer collectives than they in each group that was in use, compared with its first sample. So it is
/// after a step that a rank left out, and with torch's Join for uneven inputs. Each group is compared with its first
/// rank.
std::set<const Sample*> samplesApart(const ParameterTracks& tracks, const JobFacts& facts);

} // namespace commtap
