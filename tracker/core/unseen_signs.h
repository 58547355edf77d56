// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Signs of communication that commtap cannot see: kernels communicate by themselves. The report names them in
/// `not_seen`. (tracker/gpu/nccl_calls.cc notes those that are calls to NCCL.)
class UnseenSigns {
 public:
  /// Notes that the ranks have exchanged a tensor of symmetric memory.
  static void symmetricMemoryExchanged() noexcept;

  /// Adds the signs to the ledger. Call before the report is made; later calls do nothing.
  static void noteAll();

  /// Returns the names of the files in a list like /proc/self/maps whose kernels communicate by themselves.
  static std::vector<std::string> deviceLibraries(std::string_view maps);

  static void resetInForkedChild();
};

} // namespace commtap
