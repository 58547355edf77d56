// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Returns the folder that the jobs of this environment write to: that of COMMTAP_OUT, up to its first component that
/// differs between processes or runs, or "commtap-out".
std::string defaultFolder();

} // namespace commtap
