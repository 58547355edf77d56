// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Returns the deepest folder of `path` that exists.
std::string deepestFolder(const std::string& path);

/// Returns the name of a file system by the number in statfs(): "ext4", "nfs"; its hexadecimal number if unknown.
std::string fileSystemName(uint64_t type);

/// Checks that the folder of the reports can be made and written to, by making a file in it or in the deepest part of
/// it that exists. Leaves nothing behind.
Diagnosis checkOutput(const std::string& folder);

/// Judges the file system of the folder: what it means for reports and ledgers.
Diagnosis judgeFileSystem(const std::string& folder, uint64_t type);

/// The space that a process may use, in bytes. nullopt: no limit.
struct LedgerSpace {
  uint64_t disk_free = 0;
  std::optional<uint64_t> address_space;
  std::optional<uint64_t> file_size;
  uint64_t samples = 0; ///< what its samples file may take
};

/// Measures the space for a ledger in a folder that exists.
LedgerSpace measureSpace(const std::string& folder);
Diagnosis checkSpace(const LedgerSpace& space);

} // namespace commtap
