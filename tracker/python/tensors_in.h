// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstddef>

#include "tracker/core/python_host.h"

namespace commtap {

/// Returns whether an object is a torch.Tensor. The caller holds the GIL.
bool isTensor(PyObject* object);

/// Implements CommtapPython::tensors_in. Runs no code of the job, leaves no Python error. The caller holds the GIL.
size_t
tensorsIn(const CommtapHost& host, void* const* objects, size_t count, void* names, void** tensors, size_t capacity);

} // namespace commtap
