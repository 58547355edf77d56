// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/generated_text.h"

namespace commtap {

/// Returns whether a node calls a region. For all functions here the caller holds the GIL and has paused Dynamo.
bool isRegionCall(PyObject* node);

/// Returns the GraphModule of the region that a node calls; empty, with a Python error, if it cannot be read.
PyRef regionModule(PyObject* node);

/// Returns what the call of a region changes, as GraphLines reads it; "" for a node that calls none, and for a call
/// whose module is the one that the region was traced for.
///
/// A region of a graph (torch.compiler.nested_compile_region) is compiled once for several calls, and its nodes name
/// the modules of the first. The text is "r", the source of the module that was traced, and that of the module that
/// calls, after tabs: the second has the first one's place in the sources of the region's nodes. It is "r" alone if
/// this cannot be known: the traced module is none of the callers, or one module calls regions with modules below it
/// more than once.
std::string regionCall(PyObject* node);

// Inductor says of the lines of a region's function either which node of the region they are of, or which node calls
// the region. In the second case these look into the region, and into those that it calls.

/// Returns regionCall() of the call of the region `name` that is `node`'s or below it; "r" if that is not one.
std::string regionCallBelow(PyObject* node, std::string_view name);

/// Returns the place of the node that calls `called` and is one of `sources`, as placeOfNode(); "" if that is not one.
std::string placeInRegion(PyObject* node, std::string_view called, const SourceNodes& sources);

} // namespace commtap
