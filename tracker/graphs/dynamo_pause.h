// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/cpython/py_ref.h"

namespace commtap {

/// Keeps Dynamo from tracing this thread's Python code while this object lives. A compiled module calls the tracker
/// with Dynamo active. Reading an attribute may run a property's code, which Dynamo would compile and count as the
/// job's. The caller holds the GIL.
class DynamoPause {
 public:
  DynamoPause();
  DynamoPause(const DynamoPause&) = delete;
  DynamoPause& operator=(const DynamoPause&) = delete;
  ~DynamoPause();

 private:
  PyRef set_callback_; ///< empty if torch has not loaded Dynamo
  PyRef callback_;     ///< the callback to restore
};

} // namespace commtap
