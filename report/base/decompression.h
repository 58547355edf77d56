// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/base/result.h"

namespace commtap {

/// The capacity of a text that is decompressed exceeds its size by this, for parsers that read past the end.
inline constexpr size_t kTextPadding = 64;

/// Returns whether `data` begins as a gzip (RFC 1952) or Zstandard (RFC 8878) file does.
bool isCompressed(std::string_view data);

/// Returns the text that `data`, all of a compressed file, holds; one file may be several members or frames. An error
/// if `data` is damaged or ends early, or if the text has more than `limit` bytes, a part of --max-file-size.
Result<std::string> decompress(std::string_view data, uint64_t limit);

/// Returns the first `size` bytes of the text of which `data` is the compressed start; fewer if `data` holds fewer.
/// Zstandard gives no byte before a block of 128 KiB is complete.
Result<std::string> decompressStart(std::string_view data, uint64_t size);

} // namespace commtap
