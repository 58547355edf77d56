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

} // namespace commtap
