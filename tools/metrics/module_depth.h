// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "report/model/model.h"

namespace commtap {

/// Maps each module to itself, or to its ancestor at the depth where the tree is cut.
class ModuleDepth {
 public:
  /// Cuts the tree of `report` at `depth`; nullopt maps every module to itself.
  ModuleDepth(const Report& report, std::optional<uint32_t> depth);

  const std::string& cut(const std::string& module) const;

 private:
  std::unordered_map<std::string, std::string> cut_;
};

} // namespace commtap
