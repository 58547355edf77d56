// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>

namespace commtap {

/// JSON texts of a DeviceMesh.
struct MeshFacts {
  std::string mesh;       ///< object text with dim_names, shape and ranks; these are null if they cannot be read
  std::string coordinate; ///< list: this process's place in each dimension; "" if it has none
};

/// Calls take(group, dimension) with the name of each process group that a named dimension of a DeviceMesh uses. Leaves
/// no Python error. The caller holds the GIL.
using TakeMeshGroup = void (*)(const char* group, const char* dimension);
void forEachMeshGroup(PyObject* mesh, TakeMeshGroup take);

/// Reads a DeviceMesh without its property `mesh`, which calls ops. Leaves no Python error. The caller holds the GIL.
MeshFacts meshFacts(PyObject* mesh);

} // namespace commtap
