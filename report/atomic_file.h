// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Writes a whole file or nothing: temporary name in the same folder, fsync, rename. Mode 0600.
/// Returns "" or one line with the path and the system's reason; the temporary file is then gone.
std::string writeFileAtomically(const std::string& path, std::string_view content);

/// mkdir -p, mode 0775 less the umask. Returns "" or one line with the path and the system's reason. Below a folder
/// that everyone may write to, such as /tmp, only what is root's or this user's is entered: a folder or a link that
/// another user has put there before us would have our files.
std::string makeFolders(const std::string& path);

} // namespace commtap
