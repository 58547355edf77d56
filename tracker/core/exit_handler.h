// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace commtap {

/// Runs a function once when the process ends by exit() or a return from main, with the status.
///
/// glibc runs exit handlers in the reverse order of their registration. One that is registered before main of a C++
/// program runs after the destructors of all libraries, or, if it belongs to a library, between them. So it is
/// registered again once main runs: the first of them that runs calls the function.
class ExitHandler {
 public:
  static constexpr int kUnknown = std::numeric_limits<int>::min(); ///< a status

  /// Registers `ends`. Before main of a C++ program, its status is kUnknown unless renew() follows.
  static void install(void (*ends)(int status));
  /// Registers it again. Call while main runs.
  static void renew();
};

} // namespace commtap
