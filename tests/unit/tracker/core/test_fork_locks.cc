// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/fork_locks.h"

#include "tests/unit/torch_doctest.h"

#include <array>
#include <chrono>
#include <thread>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

std::array<std::mutex, 2> mutexes;
int made_anew = 0;

ForkLocks twoLocks() {
  return ForkLocks(std::array{
      ForkLock{&mutexes[0], [] { made_anew += 1; }, "first at a fork"},
      ForkLock{&mutexes[1], [] { made_anew += 10; }, "second at a fork"}});
}

bool isFree(std::mutex& mutex) {
  bool taken = false;
  std::thread([&] {
    taken = mutex.try_lock();
    if (taken) {
      mutex.unlock();
    }
  }).join();
  return taken;
}

TEST_CASE("all locks are held while a process forks, and free afterwards") {
  ForkLocks locks = twoLocks();
  const uint32_t held = locks.take();
  CHECK_FALSE(isFree(mutexes[0]));
  CHECK_FALSE(isFree(mutexes[1]));
  locks.giveBack(held);
  CHECK(isFree(mutexes[0]));
  CHECK(isFree(mutexes[1]));
}

TEST_CASE_FIXTURE(TrackerFixture, "a fork does not wait for ever; the child replaces what it could not lock") {
  ForkLocks locks = twoLocks();
  made_anew = 0;
  mutexes[0].lock(); // as if by a thread that holds the lock for the whole fork
  const auto began = std::chrono::steady_clock::now();
  const uint32_t held = locks.take();
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  locks.giveBack(held);
  CHECK_FALSE(isFree(mutexes[0]));
  CHECK(isFree(mutexes[1]));

  const uint64_t before = notSeen("internal_error");
  const uint32_t again = locks.take();
  locks.resetInForkedChild(again);
  locks.noteNotSeen(again);
  CHECK(isFree(mutexes[0]));
  CHECK(isFree(mutexes[1]));
  CHECK(made_anew == 1);
  CHECK(notSeen("internal_error") == before + 1);
}

} // namespace
} // namespace commtap
