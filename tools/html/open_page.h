// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Has the desktop's browser show a file, and does not wait for it. Returns false if no display is known to show it on,
/// or if no program that opens files could be started.
bool openInBrowser(const std::string& path);

} // namespace commtap
