// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "tools/cli/verb.h"

namespace commtap {

/// Returns the flags of the shim's and the tracker's options, such as `--out`. They set `flags`: values by the names of
/// their variables.
OptionTable optionFlags(std::map<std::string, std::string>& flags);

} // namespace commtap
