// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace commtap {

/// The largest part of a call over the mean of its parts: 1 if all are equal.
struct Imbalance {
  double mean = 0; ///< of all calls
  double max = 0;

  bool operator==(const Imbalance&) const = default;
};

/// Bytes by the global rank of a peer.
using PeerBytes = std::map<uint64_t, uint64_t>;

/// How the calls of a row are split between the ranks of its group.
struct Splits {
  uint64_t calls = 0; ///< with split sizes; 0 if there are none
  Imbalance imbalance;
  std::optional<int64_t> hottest_peer; ///< nullopt if not known, and if all peers have as much
  std::optional<int64_t> coldest_peer;
  uint64_t zero_peers = 0;    ///< parts of 0 bytes, over all calls
  PeerBytes peers;            ///< empty if not known; else it has each peer, also one with 0 bytes
  uint64_t received_more = 0; ///< bytes that calls received beyond what they sent: of the calls that received more

  bool operator==(const Splits&) const = default;

  /// Adds other calls. The peers of the sum are known if both know theirs, and are at most kMostPeers.
  Splits& operator+=(const Splits& other);
  static constexpr size_t kMostPeers = 4096;

  /// Sets the hottest and the coldest peer from `peers`: the lowest rank of several.
  void findExtremes();
};

/// The ledger adds up imbalances in thousandths, so that sums are exact and do not depend on their order.
inline constexpr uint64_t kEvenImbalance = 1000;

/// Returns the largest of `count` parts over their mean, in thousandths; kEvenImbalance if all are 0.
uint64_t imbalanceOf(uint64_t count, uint64_t sum, uint64_t largest);

/// Returns the mean and the largest of `calls` imbalances, which are given in thousandths. `calls` is not 0.
Imbalance imbalanceFrom(uint64_t calls, uint64_t sum, uint64_t largest);

} // namespace commtap
