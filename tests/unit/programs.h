// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/unit/samples.h"

namespace commtap {

/// The result of a program run.
struct Outcome {
  int wait_status = 0;
  std::string out;
  std::string err;

  /// Returns the exit status; -N for signal N.
  int status() const;
};

using Words = std::vector<std::string>;

/// Runs a program in a clean environment with `variables` ("NAME=value") added, stdin from /dev/null.
Outcome runProgram(const Words& command, const Words& variables = {}, const std::string& folder = "/");

/// Runs the commtap of this build.
Outcome runCommtap(Words arguments, const Words& variables = {});

/// A folder with the sample reports of ranks 0, 1 and 3 of 4.
class SampleFolder : public TempFolder {
 public:
  SampleFolder();
};

/// An installation with a library that does nothing, so that `commtap run` can be tested without the real one.
class Installation {
 public:
  Installation();

  std::string exe() const {
    return folder_ / "bin/commtap";
  }
  std::string preloaded() const {
    return folder_ / "lib/commtap/libcommtap.so";
  }
  /// Runs `commtap run` of this installation, with its reports in out().
  Outcome run(const std::string& shell_command, Words variables = {}) const;
  std::string out() const {
    return folder_ / "out";
  }

  /// Returns a shell command that writes the sample report of a rank as part of the run.
  std::string makeReport(int64_t rank) const;

 private:
  TempFolder folder_;
};

} // namespace commtap
