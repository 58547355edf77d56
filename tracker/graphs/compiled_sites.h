// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {

/// Prepares the names to look for. The caller holds the GIL.
void startCompiledSites();

/// Finds the innermost code of a compiled graph among the `most` innermost functions of this thread: the code of an FX
/// graph, of a file that Inductor generated, or of an interpreter of FX graphs. Looks no further than the call of a
/// module or of the autograd engine. Then finds the calls of the graph's regions around it. Needs no GIL.
bool findSite(int most, CommtapSite& site);

/// The facts of a call in a graph's code.
struct CallFacts {
  uint32_t line = 0; ///< in a generated file; 0 in an FX graph
  std::string text;  ///< the file's path, or the place of the graph's node; "" if it cannot be read
};

/// Reads a call that is running on this thread. The caller holds the GIL.
CallFacts readCall(const CommtapGraphCall& call);

/// Returns the modules, outermost first, on the way along a source such as "L['model'].layers.0" in the function that
/// runs the site's graph. Is empty unless the last of them is the whole source's. The caller holds the GIL.
std::vector<PyRef> modulesAlong(const CommtapSite& site, const char* source);

/// Returns the sequence number of the autograd node whose forward runs the site's graph; negative if there is none. The
/// caller holds the GIL.
int64_t forwardNode(const CommtapSite& site);

} // namespace commtap
