// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {

/// A Python module of a test with the classes of a fake torch: only as much of each as the Python part reads.
///
/// Real torch takes seconds to import, and a fake one can be odd. tests/unit/tracker/torch holds the names that both
/// have against the sources of torch, and tests/e2e runs jobs of it.
class FakeTorch : public EmbeddedPython {
 public:
  explicit FakeTorch(const char* text = "", const char* file = "test.py");
};

} // namespace commtap
