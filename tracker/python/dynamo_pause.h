// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/python/py_ref.h"

namespace commtap {

/// While it lives, Dynamo looks at no Python code that this thread runs. A compiled module's call reaches us with
/// Dynamo watching, and to read an attribute can be to run a property's code, which it would compile and count for the
/// job's.
class DynamoPause {
 public:
  DynamoPause();
  DynamoPause(const DynamoPause&) = delete;
  DynamoPause& operator=(const DynamoPause&) = delete;
  ~DynamoPause();

 private:
  PyRef set_callback_; ///< empty where there is no Dynamo
  PyRef callback_;     ///< what watched before
};

} // namespace commtap
