// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/splits.h"

#include <doctest/doctest.h>

#include <limits>

namespace commtap {
namespace {

/// Returns the splits of calls that went to the ranks 0, 1, ... with these bytes.
Splits splitsOf(uint64_t calls, uint64_t sum, uint64_t largest, std::initializer_list<uint64_t> bytes) {
  Splits splits;
  splits.calls = calls;
  splits.imbalance = imbalanceFrom(calls, sum, largest);
  splits.zero_peers = 1;
  splits.received_more = largest;
  for (const uint64_t each : bytes) {
    splits.peers.emplace(splits.peers.size(), each);
  }
  splits.findExtremes();
  return splits;
}

TEST_CASE("the imbalance is the largest part over the mean") {
  CHECK(imbalanceOf(4, 40, 10) == 1000);
  CHECK(imbalanceOf(4, 40, 40) == 4000);
  CHECK(imbalanceOf(3, 9, 4) == 1333);
  CHECK(imbalanceOf(8, 0, 0) == kEvenImbalance);
  CHECK(imbalanceOf(1U << 16U, UINT64_MAX, UINT64_MAX) == 65'536'000);
}

TEST_CASE("the hottest and the coldest peer are the lowest ranks with most and least") {
  const Splits splits = splitsOf(1, 1000, 1000, {5, 9, 5, 9});
  CHECK(splits.hottest_peer == 1);
  CHECK(splits.coldest_peer == 0);
  CHECK_FALSE(splitsOf(1, 1000, 1000, {7, 7}).hottest_peer);
  CHECK_FALSE(splitsOf(1, 1000, 1000, {7, 7}).coldest_peer);
  CHECK_FALSE(splitsOf(1, 1000, 1000, {}).hottest_peer);
}

TEST_CASE("sums are exact, in any order") {
  const Splits a = splitsOf(3, 4333, 2000, {1, 2, 3});
  const Splits b = splitsOf(7, 10'001, 3000, {10, 0, 0});
  const Splits c = splitsOf(1, 1111, 1111, {0, 5, 0});
  Splits one = a;
  (one += b) += c;
  Splits other = c;
  (other += b) += a;
  CHECK(one == other);
  CHECK(one.calls == 11);
  CHECK(one.imbalance == imbalanceFrom(11, 15'445, 3000));
  CHECK(one.zero_peers == 3);
  CHECK(one.received_more == 2000 + 3000 + 1111);
  CHECK(one.peers == PeerBytes{{0, 11}, {1, 7}, {2, 3}});
  CHECK(one.hottest_peer == 0);
  CHECK(one.coldest_peer == 2);
}

TEST_CASE("nothing added changes nothing; peers that one of two does not know are not known of the sum") {
  const Splits known = splitsOf(1, 2000, 2000, {1, 2});
  Splits sum = known;
  sum += Splits();
  CHECK(sum == known);
  Splits from_nothing;
  from_nothing += known;
  CHECK(from_nothing == known);
  sum += splitsOf(1, 1000, 1000, {});
  CHECK(sum.calls == 2);
  CHECK(sum.peers.empty());
  CHECK_FALSE(sum.hottest_peer);
}

TEST_CASE("the peers are bounded, and any numbers of a report can be added") {
  Splits many;
  many.calls = 1;
  for (uint64_t rank = 0; rank < Splits::kMostPeers; ++rank) {
    many.peers[rank] = 1;
  }
  Splits one_more = many;
  one_more.peers[Splits::kMostPeers] = 1;
  Splits sum = many;
  CHECK((sum += many).peers.size() == Splits::kMostPeers);
  CHECK((sum += one_more).peers.empty());
  Splits wild;
  wild.calls = UINT64_MAX;
  wild.imbalance = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  wild.zero_peers = UINT64_MAX;
  sum += wild;
  CHECK(sum.calls == UINT64_MAX);
  CHECK(sum.imbalance.mean >= 0);
  CHECK(sum.imbalance.max == std::numeric_limits<double>::max());
}

} // namespace
} // namespace commtap
