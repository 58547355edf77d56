// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>

#include "tracker/core/python_host.h"

namespace commtap {

/// Reports a module's own parameters (not its children's): name, shape, dtype, and for a DTensor its mesh, placements
/// and local shape; and whose gradient and memory each is. Runs no code of the job's, leaves no Python error behind.
void reportParameters(const CommtapHost& host, PyObject* module_dict, uint32_t module);

/// FSDP1 keeps its flat parameter outside of all modules: its gradient and memory belong to the unit.
void reportFlatParameter(const CommtapHost& host, PyObject* module_dict, uint32_t module);

} // namespace commtap
