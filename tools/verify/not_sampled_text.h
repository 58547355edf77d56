// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/verify/verification.h"
#include "tools/verify/run_samples.h"

namespace commtap {

/// Returns one inert sentence for each reason why values of a run are not in its samples: ranks without any, files that
/// end early, and what the ranks could not sample.
std::vector<std::string> notSampledText(const RunSamples& run, const Verification& result);

} // namespace commtap
