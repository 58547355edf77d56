// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "report/model/model.h"

namespace commtap {

/// Which module a module counts as when the tree is cut at a depth: itself, or the one above it at that depth.
class ModuleDepth {
 public:
  /// No depth: every module counts as itself.
  ModuleDepth(const Report& report, std::optional<uint32_t> depth);

  const std::string& cut(const std::string& module) const;

 private:
  std::unordered_map<std::string, std::string> cut_;
};

} // namespace commtap
