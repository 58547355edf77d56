// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "tools/command/interpreter.h"
#include "tools/doctor/diagnosis.h"
#include "tools/run/environment.h"

namespace commtap {

/// The findings of a small process of the job's Python about commtap in itself, and its remains.
struct Probe {
  ChildOutcome outcome;
  bool has_started = false;        ///< Python ran the probe's code
  bool has_variable = false;       ///< LD_PRELOAD names the library
  bool has_imported = false;       ///< torch was imported
  std::vector<std::string> loaded; ///< files of commtap that were mapped after that
  std::optional<Report> report;    ///< nullopt if none came
};

/// Starts Python as `commtap run` would, with a script that imports torch and makes one all_reduce in a group of one,
/// called by one module. Its report goes to a temporary folder. `command`: the words that start Python.
Probe runProbe(const std::vector<std::string>& command, Environment environment, const std::string& library);

/// Parses the lines of the probe's script.
void readProbeOutput(Probe& probe, const std::string& library);

/// Returns the messages of the stub, the tracker and the dynamic linker in the probe's stderr.
std::vector<std::string> warningsOf(const Probe& probe);

/// Checks that the library came into the process and loaded the tracker.
Diagnosis checkPreload(const Probe& probe, const std::string& library);
/// Checks what the process's report holds.
Diagnosis checkReport(const Probe& probe);

} // namespace commtap
