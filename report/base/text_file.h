// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/base/result.h"

namespace commtap {

class FileDescriptor;

inline constexpr uint64_t kMaxTextFile = uint64_t{64} << 20U;
/// Returns the content of a regular file of at most `most` bytes, also of one that the kernel makes, such as those of a
/// process in /proc. An error has the path and the reason. Pipes and devices, which may never end, are not read.
Result<std::string> readTextFile(const std::string& path, uint64_t most = kMaxTextFile);

/// Returns the first `size` bytes of an open regular file. `path` is for errors only.
Result<std::string> readRegularFile(const std::string& path, const FileDescriptor& file, size_t size);

/// Returns the first `size` bytes of a file in a folder that other users may write to. Rejects symbolic links, pipes
/// and devices, so a file planted there can neither block the reader nor redirect it.
Result<std::string> readStartOfFile(const std::string& path, size_t size);

/// An input is a report, ledger or merged report that a command reads. A folder may hold any files, so an input is a
/// regular file of at most maxInputSize() bytes, and not one that the kernel makes, as in /proc. If it is compressed
/// (decompression.h), its content is the text that it holds. Reading an input takes at most maxInputSize() bytes of
/// memory: those of the file while it is decompressed, of the text, and of what a parser makes of it.

/// Returns "" for an input of at most `most` bytes, else the reason with the path. Does not open the file: that can
/// block or have effects.
std::string whyNotInput(const std::string& path, uint64_t most = UINT64_MAX);

/// Returns the first `size` bytes of an input's content, or an error with the path.
Result<std::string> readStartOfInput(const std::string& path, size_t size);

/// Returns the content of a JSON input, or an error with the path. If the file does not begin with a JSON object or
/// list, returns only its start, which is enough for the parser's error. The text takes at most `memory` bytes. Its
/// capacity exceeds its size by kTextPadding (decompression.h).
Result<std::string> readInputText(const std::string& path, uint64_t memory);
/// Returns readInputText() of an input of which a parser can make a tree of nodes within `memory`.
Result<std::string> readJsonInput(const std::string& path, uint64_t memory);
Result<std::string> readJsonInput(const std::string& path);
/// Returns the content of a JSON input that is open. `path` is for errors only.
Result<std::string> readJsonInput(const std::string& path, const FileDescriptor& file);

/// Returns the error of an input that would take more memory than maxInputSize().
std::string tooLargeText(const std::string& path, uint64_t memory);

inline constexpr uint64_t kDefaultMaxInputSize = 1ULL << 30U;
/// Sets the largest input, in bytes. Must run before other threads read inputs.
void setMaxInputSize(uint64_t bytes);
uint64_t maxInputSize();
/// Returns the memory for each of several inputs that are read at once. A larger one is read again, by itself.
uint64_t memoryOfMany();

} // namespace commtap
