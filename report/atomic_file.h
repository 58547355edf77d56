// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace commtap {

/// Writes a whole file or nothing: temporary name in the same folder, rename. Mode 0600. Without fsync, for which the
/// end of a job would wait as long as the disk is busy, seconds at times: only the machine's own end can lose the file.
/// `complete`, if there is one, is called with the descriptor once the content is written, for what is known only then;
/// false, with errno, if it fails.
/// Returns "" or one line with the path and the system's reason; the temporary file is then gone.
std::string writeFileAtomically(
    const std::string& path,
    std::string_view content,
    const std::function<bool(int)>& complete = nullptr);

/// mkdir -p, mode 0775 less the umask. Returns "" or one line with the path and the system's reason. Below a folder
/// that everyone may write to, such as /tmp, only what is root's or this user's is entered: a folder or a link that
/// another user has put there before us would have our files.
std::string makeFolders(const std::string& path);

} // namespace commtap
