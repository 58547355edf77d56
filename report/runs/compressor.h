// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "report/model/options.h"

namespace commtap {

/// Compresses a text that comes in pieces.
class Compressor {
 public:
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  virtual ~Compressor() = default;

  /// Returns the bytes that can be written after this piece. `is_last`: ends the text. Throws std::bad_alloc if there
  /// is no memory.
  virtual std::string add(std::string_view piece, bool is_last) = 0;
};

/// Returns a compressor; for Compress::kOff one that returns each piece as it is. Throws std::bad_alloc if there is no
/// memory.
std::unique_ptr<Compressor> makeCompressor(Compress how);

} // namespace commtap
