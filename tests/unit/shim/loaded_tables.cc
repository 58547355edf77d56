// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/shim/loaded_tables.h"

#include <string>

#include "tests/unit/child.h"

namespace commtap {

LoadedTables::LoadedTables(const struct commtap_loaded& tables) {
  ::commtap_loaded = tables;
}

LoadedTables::~LoadedTables() {
  ::commtap_loaded = {};
}

const commtap_tracker& sayingTracker() {
  static const commtap_tracker tracker = [] {
    commtap_tracker made{};
    made.signals = [](long pid, int signal) {
      sayLine("signals " + std::string(pid == getppid() ? "parent " : "other ") + std::to_string(signal));
    };
    made.child_ended = [](long, int signal) { sayLine("child ended by " + std::to_string(signal)); };
    made.finish = [](commtap_exit how, int signal) {
      sayLine("finish " + std::to_string(how) + " " + std::to_string(signal));
    };
    return made;
  }();
  return tracker;
}

} // namespace commtap
