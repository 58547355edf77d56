// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "report/ledger/ledger_store.h"

namespace commtap {

struct LedgerParameterFacts {
  std::string_view name;
  std::string_view shape;       ///< JSON array text
  std::string_view local_shape; ///< JSON array text
  std::string_view dtype;
  std::string_view mesh;       ///< JSON object text or ""
  std::string_view placements; ///< JSON array text or ""
  bool requires_grad = false;
};

/// Writes the sections of modules and their parameters. Any thread.
class LedgerModules {
 public:
  explicit LedgerModules(LedgerStore& store) : store_(store) {}

  /// Adds a module and returns its id; kNoIndex if the table is full. `clean`: see LedgerModule.
  uint32_t addModule(
      uint32_t parent,
      std::string_view component,
      std::string_view class_name,
      uint32_t flags,
      std::string_view clean = {});
  /// Moves a module that was called as a root below its parent. `wrapper`: the component is a wrapper's.
  void reparentModule(uint32_t module, uint32_t parent, std::string_view component, bool wrapper = false);
  /// Gives a root another name; its name in clean names stays.
  void renameModule(uint32_t module, std::string_view component);
  void addParameter(uint32_t module, const LedgerParameterFacts& facts);

  void countModuleCall(uint32_t module, Phase phase) {
    store_.records<kModules>()[module].calls[static_cast<size_t>(phase)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  LedgerStore& store_;
};

} // namespace commtap
