// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include "tracker/core/python_host.h"
#include "tracker/python/known_optimizers.h"
#include "tracker/python/module_map.h"

namespace commtap {

/// Implements CommtapPython::sample_step. Runs no code of the job, leaves no Python error. The caller holds the GIL.
///
/// The parameters that no optimizer has go with the first live optimizer. Another optimizer may have them whose first
/// step is yet to come. So at the first step only those without a gradient do, which no optimizer wants.
void sampleStep(
    const CommtapHost& host,
    const ModuleMap& modules,
    KnownOptimizers& optimizers,
    const CommtapStepSampler& sampler);

} // namespace commtap
