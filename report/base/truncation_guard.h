// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace commtap {

/// A part of a file that is mapped.
struct MappedRange {
  uint64_t offset; ///< page aligned
  uint64_t size;   ///< whole pages
};

/// Keeps the process alive if another program truncates the file of its ledger, as log rotation does. The next use of a
/// page that the file has lost raises SIGBUS. A handler for this signal then puts empty memory in the ledger's place:
/// the ledger is lost, and the process goes on.
///
/// The handler acts only on the ledger's own faults. For any other SIGBUS it restores the action that it found and
/// raises the signal again. The first watch() installs it. A handler that the job installs later runs first, and must
/// pass on the signals that are not its own. One ledger at a time is watched.
class TruncationGuard {
 public:
  /// Watches the ledger at `base`, of which `ranges` are mapped from the file `fd` of `size` bytes. `ranges` must live
  /// until unwatch().
  static void watch(std::byte* base, std::span<const MappedRange> ranges, uint64_t size, int fd);
  /// Forgets the ledger if it is watched: another one may be.
  static void unwatch(const std::byte* base);

  /// Returns whether the ledger's file was truncated since watch(). Its memory is then empty and without a file.
  static bool isLost(const std::byte* base);
};

} // namespace commtap
