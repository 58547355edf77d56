// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace commtap {

/// Bounds how many series an owner (a rank's rows, a rank's calls) may have. First come, not largest: a series that was
/// admitted stays so, as a counter that moves to another series would look like traffic that never was.
class SeriesLimit {
 public:
  explicit SeriesLimit(size_t per_owner) : per_owner_(per_owner) {}

  /// Whether this label set has a series of its own.
  bool admit(const std::string& owner, const std::string& labels);

  /// Forgets the owners that have not asked since the last call: their jobs are gone.
  void forgetUnused();

 private:
  struct Owner {
    std::set<std::string> admitted;
    bool used = true;
  };

  size_t per_owner_;
  std::map<std::string, Owner> owners_;
};

} // namespace commtap
