// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report/ledger/ledger_writer.h"
#include "report/model/model.h"

namespace commtap {

/// A temporary folder, removed with the object.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};

/// Writes a file. Fails the test on an error.
void writeText(const std::string& path, std::string_view text);
std::string readText(const std::string& path);
bool has(std::string_view text, std::string_view part);
/// Returns the sorted names of a folder's entries.
std::vector<std::string> namesIn(const std::string& folder);

/// Returns the report of one of 4 ranks after one step of an MLP with two linear layers, wrapped by DDP. It has 1
/// all_reduce of 320 bytes in the backward for MLP, 1 broadcast of 64 bytes outside modules, 2 all_gathers for net1.
Report sampleReport(int64_t rank);

/// Returns the sample report's data as a ledger in memory. Its header has `run_id` and this process's identity.
std::unique_ptr<LedgerWriter> sampleLedger(int64_t rank);

/// Counts one collective.
void countOne(LedgerWriter& ledger, CollectiveKey key, uint64_t bytes);

/// Returns NCCL calls in phase forward, of group "0" if a collective `op` makes them. `op`: "" for none.
NcclCall sampleNcclCall(const char* function, const char* op, const char* module, uint64_t count, uint64_t bytes);

} // namespace commtap
