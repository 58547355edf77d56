// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

namespace commtap {

/// Receives the graphs that Dynamo gives to a compiler from now on, if Dynamo is loaded. If the compiler takes a file
/// from Inductor's cache of which the tracker knows nothing, reports where the collectives of the forward come from.
/// Wraps OutputGraph.call_user_compiler. The caller holds the GIL.
void watchDynamo(const CommtapHost& host);

/// Stops watching, or watches again.
void setDynamoWatched(bool watched);

/// Receives the graphs that Inductor compiles from now on, if it is loaded, and reports where the collectives of the
/// generated file come from. Sets GraphLowering.save_output_code, which torch calls with each file's text and
/// leaves unset for such use; a job's own is kept. Also wraps PythonWrapperCodegen.define_subgraph_launcher_fn, which
/// adds a function's text to a file and drops its line map. Returns false if Inductor is not loaded. The caller holds
/// the GIL.
bool watchInductor(const CommtapHost& host);

/// Stops watching, or watches again.
void setInductorWatched(bool watched);

} // namespace commtap
