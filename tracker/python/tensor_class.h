// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

namespace commtap {

/// `tensor`: the PyObject of a tensor that somebody holds. By the names of its classes, of which a subclass of
/// DTensor has one more; needs no GIL, for the class of a living object neither changes nor dies.
CommtapTensorClass tensorClass(void* tensor);

} // namespace commtap
