// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/base/result.h"

namespace commtap {

class FileDescriptor;

/// Returns the content of a file, or an error with the path and the system's reason.
Result<std::string> readTextFile(const std::string& path);

/// Returns the first `size` bytes of a file in a folder that other users may write to. Rejects symbolic links, pipes
/// and devices, so a file planted there can neither block the reader nor redirect it.
Result<std::string> readStartOfFile(const std::string& path, size_t size);

/// An input is a report, ledger or merged report that a command reads. A folder may hold any files, so an input is a
/// regular file of at most maxInputSize() bytes, and not one that the kernel makes, as in /proc. If it is compressed
/// (decompression.h), its content is the text that it holds, of at most maxInputSize() bytes too.

/// Returns "" for an input, else the reason with the path. Does not open the file: that can block or have effects.
std::string whyNotInput(const std::string& path);

/// Returns the first `size` bytes of an input's content, or an error with the path.
Result<std::string> readStartOfInput(const std::string& path, size_t size);

/// Returns the content of a JSON input, or an error with the path. If the file does not begin with a JSON object or
/// list, returns only its start, which is enough for the parser's error.
Result<std::string> readJsonInput(const std::string& path);
/// Returns the content of a JSON input that is open. `path` is for errors only.
Result<std::string> readJsonInput(const std::string& path, const FileDescriptor& file);

inline constexpr uint64_t kDefaultMaxInputSize = 1ULL << 30U;
/// Sets the largest input, in bytes. Must run before other threads read inputs.
void setMaxInputSize(uint64_t bytes);
uint64_t maxInputSize();

} // namespace commtap
