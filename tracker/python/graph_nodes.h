// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>

namespace commtap {

/// Returns where a node of an FX graph comes from, as GraphLines reads it: "f" or "b" for forward or backward, and the
/// source of the innermost module, such as "L['self'].layers.0", after a tab. A node that a pass merged has the sources
/// of all, and their sizes if those can be read. A node of no module has no source. The caller holds the GIL and has
/// paused Dynamo.
std::string placeOfNode(PyObject* node);

} // namespace commtap
