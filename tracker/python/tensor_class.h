// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

namespace commtap {

/// Returns the class of `tensor`, a PyObject that the caller keeps alive. Compares the names of its base classes, so a
/// subclass of DTensor counts as one. Needs no GIL: the type of a living object neither changes nor is destroyed.
CommtapTensorClass tensorClass(void* tensor);

} // namespace commtap
