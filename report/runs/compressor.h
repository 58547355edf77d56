// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "report/model/options.h"

namespace commtap {

/// Compresses a text that comes in pieces. Throws std::bad_alloc if there is no memory.
class Compressor {
 public:
  explicit Compressor(Compress how);
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor();

  /// Returns the bytes that can be written after this piece: the piece itself for Compress::kOff. `is_last`: ends the
  /// text.
  std::string add(std::string_view piece, bool is_last);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace commtap
