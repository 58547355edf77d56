// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// The root modules whose names differ between commtap/1 and commtap/2: new names by old ones. A root of commtap/1 has
/// the name of the outermost wrapper, or of the class that a library made of the user's.
using RenamedRoots = std::map<std::string, std::string>;

/// A root module of an older report, by its clean name and the class of the innermost module that it wraps.
struct OldRoot {
  std::string name;
  std::string class_name;
};

/// Returns the roots that have other names now. Two roots of one class are "Net" and "Net#2", in the order given.
RenamedRoots renamedRoots(const std::vector<OldRoot>& roots);

/// Replaces the root of a module's name.
void renameRoot(std::string& module, const RenamedRoots& roots);

/// Gives the modules of a commtap/1 report their names of commtap/2, and notes which in `renamed`.
void upgradeNames(Report& report);

} // namespace commtap
