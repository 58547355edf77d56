// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tracker/core/python_host.h"

namespace commtap {

/// The Python part's modules_in_frames.
using ModulesInFrames = size_t (*)(CommtapInFrames what, uint32_t number, uint32_t* modules, size_t capacity);

/// Sets the function that reads Python's frames; nullptr in a process without Python.
void setModulesInFrames(ModulesInFrames function);

/// Returns the module that a library's Python code on this thread is working for: the nearest common ancestor if it is
/// several modules. Returns nullopt if no frame does. Takes the GIL, so it is for what neither scopes nor labels say.
std::optional<uint32_t> moduleInFrames(CommtapInFrames what, uint32_t number = 0);

/// Returns the module whose `forward` the job has called as a plain method, if `module` is called inside it: the
/// outermost one that contains `module`. Returns `module` if there is none. Takes the GIL.
uint32_t moduleOfRunningForward(uint32_t module);

/// The Python part's running_torch_function.
using RunningTorchFunction = CommtapTorchFunction (*)();

/// Sets the function that names torch's own code; nullptr in a process without Python.
void setRunningTorchFunction(RunningTorchFunction function);

/// Returns the function of torch that communicates outside of modules on this thread. Takes no lock.
CommtapTorchFunction runningTorchFunction();

/// The Python part's runs_in_engine.
using RunsInEngine = int (*)();

/// Sets the function that says whether autograd's engine runs Python code; nullptr in a process without Python.
void setRunsInEngine(RunsInEngine function);

/// Returns whether a Python function that autograd's engine has called runs on this thread, in a backward. Takes no
/// lock.
bool pythonRunsInEngine();

/// Returns true if the optimizer's step that begins on this thread was given a closure. Takes the GIL.
bool stepHasClosure();

} // namespace commtap
