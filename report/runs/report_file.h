// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/model/options.h"

namespace commtap {

/// Writes a process's report as `folder`/`name`.json, with the ending of its compression, or under the name of
/// chooseReportPath(). Creates the folders. Replaces only the process's own report. Processes that exit together take
/// turns, so that few choose one name.
/// `end_ns`, for a process that writes its own report, returns how long its exit has taken so far. It is called after
/// all rows but the last kReportPiece bytes are written, and sets own_cost.end_ns in the file. Returns the path, or one
/// line with the system's reason.
Result<std::string> writeReportFile(
    const std::string& folder,
    const std::string& name,
    const Report& report,
    Compress compress = Compress::kOff,
    const std::function<uint64_t()>& end_ns = nullptr);

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
