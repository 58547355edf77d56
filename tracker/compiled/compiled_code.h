// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/attribution/attribution.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// The facts of a collective in compiled code.
struct CompiledCall {
  bool is_compiled = false;
  std::shared_ptr<const ModuleParts> merged{}; ///< null: it is no merged one; empty: its parts are not known
};

/// Attributes the collectives of compiled graphs. No module is called in a graph, so the scopes say only which module
/// was compiled; the graph's nodes say for which module inside it each collective is.
class CompiledCode {
 public:
  /// The Python part's functions; nullptr in a process without Python. The caller is the only thread that counts.
  static void setPython(const CommtapPython* python);

  /// Notes that a compiler traces a collective, or that the job has compiled code: from now on compiled code may
  /// communicate. A compiler does not trace what an operator of the job's own communicates.
  static void traced();

  /// Corrects the origin of a collective that compiled code on this thread issues: its module and phase. Leaves it as
  /// it is if no compiled code runs. `in_engine`: autograd's engine issues it. Takes the GIL at a call site's first
  /// collective, and for a graph of a function that is no module's.
  static CompiledCall attribute(bool in_engine, Origin& origin);

  /// Notes the places of the collectives in a file that Inductor generates, and writes them next to its cache.
  static void graphGenerated(const std::string& cache, const std::string& key, std::string_view lines);

  /// Returns whether nothing is known of the collectives in a generated file, and no side file has them.
  static bool wantsGraph(const std::string& path);

  /// Notes the places of some of the collectives in a file that was generated before, as long as this process runs.
  static void graphLoaded(const std::string& path, std::string_view lines);

  static ForkLock forkLock();
};

} // namespace commtap
