// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace commtap {

/// The status with which this process ends by exit() or a return from main.
///
/// glibc runs exit handlers in the reverse order of their registration. Before main of a C++ program, that order puts a
/// handler behind the destructors of all libraries, where the tracker must not write a report any more. So the handler
/// that knows the status only keeps it, and is registered again once main runs.
class ExitStatus {
 public:
  /// Registers the handler. Call before the report's own handler, and again when the process gets an output.
  static void watch();
  /// Returns the status; kUnknown before the handler has run.
  static int get();

  static constexpr int kUnknown = std::numeric_limits<int>::min();
};

} // namespace commtap
