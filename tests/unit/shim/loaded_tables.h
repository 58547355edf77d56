// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shim/loaded.h"

namespace commtap {

/// Makes these tables those of the loaded tracker while it lives.
class LoadedTables {
 public:
  explicit LoadedTables(const struct commtap_loaded& tables);
  LoadedTables(const LoadedTables&) = delete;
  LoadedTables& operator=(const LoadedTables&) = delete;
  ~LoadedTables();
};

/// A tracker whose finish() says "finish HOW SIGNAL", and signals() "signals parent|other SIGNAL", on stderr.
const commtap_tracker& sayingTracker();

} // namespace commtap
