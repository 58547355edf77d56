// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "report/samples/samples.h"

namespace commtap {

/// Returns, for rows that are named by their place in an optimizer, what a later sample knows of the parameter: before
/// the first forward, as in a closure's first step, no model is known. An optimizer's parameters come in one order. Has
/// no row of a sample whose shapes or dtypes differ from those of the later one. Points into `process`.
std::map<const SampleRow*, const SampledParameter*> laterNames(const ProcessSamples& process);

} // namespace commtap
