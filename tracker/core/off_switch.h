// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/runs/output.h"

namespace commtap {

/// Keeps commtap off in the processes of a run that start after a fault that may be commtap's own, so that such a fault
/// cannot become a crash loop. The switch is a file in the run's folder, made by this user and this version of commtap.
/// If the user empties the file, commtap counts and never makes it again.
class OffSwitch {
 public:
  /// `pattern`: COMMTAP_OUT.
  OffSwitch(const std::string& pattern, const OutputIdentity& process);

  /// Returns why this process must not count, in one line; "" if it may count. Sets the switch if the last processes of
  /// this rank crashed one after another.
  std::string reasonToStayOff() const;

  /// Returns false if the file exists already or cannot be made.
  bool set(const std::string& reason) const;
  const std::string& path() const {
    return path_;
  }

 private:
  std::string setBefore() const;
  std::string repeatedCrashes() const;

  std::vector<std::string> folders_; ///< that may have ledgers of this process's rank, the newest run's first
  OutputIdentity process_;
  std::string path_;
};

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
