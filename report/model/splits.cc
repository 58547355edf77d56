// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/splits.h"

#include <algorithm>
#include <cmath>

#include "report/model/saturating.h"

namespace commtap {
namespace {

/// Returns the sum of which `imbalance.mean` is the mean, in thousandths. Exact up to 10^15: a report can hold any
/// number, and larger ones become this.
uint64_t sumOf(const Splits& splits) {
  constexpr double kMost = 1e15;
  const double sum = splits.imbalance.mean * static_cast<double>(kEvenImbalance) * static_cast<double>(splits.calls);
  return sum >= 0 && sum < kMost ? static_cast<uint64_t>(std::llround(sum)) : static_cast<uint64_t>(kMost);
}

} // namespace

uint64_t imbalanceOf(uint64_t count, uint64_t sum, uint64_t largest) {
  if (sum == 0) {
    return kEvenImbalance;
  }
  const double ratio = static_cast<double>(largest) * static_cast<double>(count) / static_cast<double>(sum);
  return static_cast<uint64_t>(std::llround(ratio * static_cast<double>(kEvenImbalance)));
}

Imbalance imbalanceFrom(uint64_t calls, uint64_t sum, uint64_t largest) {
  constexpr auto kUnit = static_cast<double>(kEvenImbalance);
  return {static_cast<double>(sum) / (kUnit * static_cast<double>(calls)), static_cast<double>(largest) / kUnit};
}

Splits& Splits::operator+=(const Splits& other) {
  if (other.calls == 0) {
    return *this;
  }
  if (calls == 0) {
    return *this = other;
  }
  const bool are_known = !peers.empty() && !other.peers.empty();
  uint64_t sum = sumOf(*this);
  addSaturating(sum, sumOf(other));
  addSaturating(calls, other.calls);
  imbalance = {imbalanceFrom(calls, sum, 0).mean, std::max(imbalance.max, other.imbalance.max)};
  addSaturating(zero_peers, other.zero_peers);
  addSaturating(received_more, other.received_more);
  if (are_known) {
    for (const auto& [rank, bytes] : other.peers) {
      addSaturating(peers[rank], bytes);
    }
  }
  if (!are_known || peers.size() > kMostPeers) {
    peers.clear();
  }
  findExtremes();
  return *this;
}

void Splits::findExtremes() {
  hottest_peer = coldest_peer = std::nullopt;
  if (peers.empty()) {
    return;
  }
  const auto by_bytes = [](const auto& one, const auto& other) { return one.second < other.second; };
  const auto hottest = std::max_element(peers.begin(), peers.end(), by_bytes);
  const auto coldest = std::min_element(peers.begin(), peers.end(), by_bytes);
  if (hottest->second != coldest->second) {
    hottest_peer = static_cast<int64_t>(hottest->first);
    coldest_peer = static_cast<int64_t>(coldest->first);
  }
}

} // namespace commtap
