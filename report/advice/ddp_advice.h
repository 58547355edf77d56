// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/advice/advice_findings.h"

namespace commtap {

/// The modules of a job by name: which of them DDP wraps, and which hold others.
class ModuleIndex {
 public:
  /// `job` must outlive the index.
  explicit ModuleIndex(const JobReport& job);

  bool isDdp(std::string_view name) const;
  bool isLeaf(std::string_view name) const;
  /// Returns the calls in forwards over all ranks.
  uint64_t forwards(std::string_view name) const;
  /// Returns the modules below the one of this name.
  std::vector<const JobModule*> below(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, const JobModule*> modules_;
  std::set<std::string_view> parents_;
};

/// Finds what an option of DDP would leave out.
void findDdp(const ModuleIndex& modules, Findings& findings);

} // namespace commtap
