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

/// A folder of its own, gone with the object.
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

/// Fails the test if it cannot.
void writeText(const std::string& path, std::string_view text);
std::string readText(const std::string& path);
/// The names of what is directly in a folder, sorted.
std::vector<std::string> namesIn(const std::string& folder);

/// A data-parallel MLP of two linear layers, wrapped by DDP, one step, as rank `rank` of 4 reports it:
/// 1 all_reduce of 320 bytes in backward for MLP, 1 broadcast of 64 bytes outside, 2 all_gathers for net1.
Report sampleReport(int64_t rank);

/// The same as a ledger, in memory; `run_id` and this process's identity in its header.
std::unique_ptr<LedgerWriter> sampleLedger(int64_t rank);

/// Counts one collective.
void countOne(LedgerWriter& ledger, CollectiveKey key, uint64_t bytes);

} // namespace commtap
