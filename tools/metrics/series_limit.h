// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace commtap {

/// Bounds the number of series per owner (a rank's rows, a rank's calls). Admits the first label sets, not the largest.
/// An admitted series stays: a counter that moved to another series would look like false traffic.
class SeriesLimit {
 public:
  explicit SeriesLimit(size_t per_owner) : per_owner_(per_owner) {}

  /// Returns whether this label set gets a series of its own.
  bool admit(const std::string& owner, const std::string& labels);

  /// Forgets the owners that have not called admit() since the last call: their jobs have ended.
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
