// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/communicators.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "report/ledger/ledger_format.h"

namespace commtap {
namespace {

const void* communicatorAddress(size_t nth) {
  return reinterpret_cast<const void*>(0x7f0000000000U + nth * 64); // NOLINT(performance-no-int-to-ptr)
}

TEST_CASE("a communicator is found until it ends; the next one at its address is another") {
  Communicators all;
  CHECK(all.find(communicatorAddress(1)) == kNoIndex);
  CHECK(all.add(communicatorAddress(1), [&] { return uint32_t{7}; }) == 7);
  CHECK(all.find(communicatorAddress(1)) == 7);
  all.remove(communicatorAddress(1));
  CHECK(all.find(communicatorAddress(1)) == kNoIndex);
  CHECK(all.add(communicatorAddress(1), [&] { return uint32_t{8}; }) == 8);
  CHECK(all.find(communicatorAddress(1)) == 8);
}

TEST_CASE("a second add() returns the first one's number; a communicator without a number is not added") {
  Communicators all;
  CHECK(all.add(communicatorAddress(1), [] { return 7U; }) == 7);
  CHECK(all.add(communicatorAddress(1), [] { return 8U; }) == 7);
  CHECK(all.add(communicatorAddress(2), [] { return kNoIndex; }) == kNoIndex);
  CHECK(all.find(communicatorAddress(2)) == kNoIndex);
}

TEST_CASE("communicators that share a slot are all found") {
  Communicators all;
  for (uint32_t i = 0; i < 1000; ++i) {
    CHECK(all.add(communicatorAddress(i), [&] { return uint32_t{i}; }) == i);
  }
  for (uint32_t i = 0; i < 1000; ++i) {
    CHECK(all.find(communicatorAddress(i)) == i);
    CHECK(all.find(communicatorAddress(i)) == i);
  }
}

TEST_CASE("threads find the right numbers while others evict them") {
  Communicators all;
  constexpr uint32_t kCount = 200;
  for (uint32_t i = 0; i < kCount; ++i) {
    CHECK(all.add(communicatorAddress(i), [&] { return uint32_t{i}; }) == i);
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t i = 0; i < 20'000; ++i) {
        const uint32_t number = (i * 7 + thread * 13) % kCount;
        wrong += all.find(communicatorAddress(number)) == number ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
}

} // namespace
} // namespace commtap
