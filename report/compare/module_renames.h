// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_report.h"

namespace commtap {

/// Whole components of module names, and what to write in their place.
struct ModuleRename {
  std::vector<std::string> from;
  std::vector<std::string> to; ///< empty: the components are left out
};

/// Parses "base_layer=" or "PeftModel.base_model.model=Llama". Fails with what is wrong.
Result<ModuleRename> parseRename(const std::string& text);

/// Returns a module's name after all renames, each at every place where its components are. A rename that would leave
/// no name is not made.
std::string renamed(const std::string& module, const std::vector<ModuleRename>& renames);

/// Renames the modules of a job's rows and tree. Several may then have one name: cellsOf() adds up their rows.
void renameModules(const std::vector<ModuleRename>& renames, JobReport& job);

} // namespace commtap
