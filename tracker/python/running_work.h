// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {

struct RunningWork {
  CommtapWork what = kCommtapOtherWork;
  PyRef module{};    ///< the object whose constructor or backward it is; empty for an optimizer's step
  PyRef optimizer{}; ///< the object whose step it is; empty for other work
};

/// Prepares the names to look for. The caller holds the GIL.
void startRunningWork();

/// Returns nonzero if a method with the name of such work runs on this thread. Needs no GIL.
int mayRunWork();

/// Returns nonzero if a Python function runs that autograd's engine has called, or a function that it has. For a thread
/// on which the engine runs. Needs no GIL.
int runsInEngine();

/// Returns the innermost work that the frames of this thread say. Runs no code of the job, such as a property. The
/// caller holds the GIL.
RunningWork runningWork();

/// Returns the module objects, or the closure, that the frames of torch's own Python code on this thread name. `number`
/// is the stage of a pipeline. Leaves no Python error. The caller holds the GIL.
std::vector<PyRef> modulesInFrames(CommtapInFrames what, uint32_t number);

/// See CommtapPython::new_groups_ranks.
CommtapGroupRanks newGroupsRanks(CommtapTakeRank take, void* data);

/// Prepares the names to look for. The caller holds the GIL.
void startTorchFunctions();

/// Returns what torch's own Python code on this thread does outside of modules, as far as its functions are in the
/// table. Needs no GIL.
CommtapTorchFunction runningTorchFunction();

} // namespace commtap
