// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/timeline.h"

#include "tests/unit/torch_doctest.h"

#include <atomic>
#include <memory>
#include <thread>

namespace commtap {
namespace {

TEST_CASE("a number belongs to the last change point that is not above it") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  CHECK(timeline->moduleAt(7) == 0); // nothing was ever called: Global
  writer.note(10, 1);
  writer.note(20, 2);
  writer.note(30, 0);
  CHECK(timeline->moduleAt(9) == 0);
  CHECK(timeline->moduleAt(10) == 1);
  CHECK(timeline->moduleAt(19) == 1);
  CHECK(timeline->moduleAt(20) == 2);
  CHECK(timeline->moduleAt(1000) == 0);
}

TEST_CASE("the last of several changes at one number applies: no op was made between them") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  writer.note(10, 1);
  writer.note(10, 2);
  writer.note(10, 3);
  CHECK(timeline->moduleAt(10) == 3);
  CHECK(timeline->moduleAt(9) == 0);
}

TEST_CASE("the last node can be of another module than those around it, unless a module has begun since") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  writer.noteLastNode(0, 7, 1); // no node was made yet
  CHECK(timeline->moduleAt(0) == 0);
  writer.note(10, 1);
  writer.noteLastNode(10, 7, 1);
  CHECK(timeline->moduleAt(9) == 0);
  CHECK(timeline->moduleAt(10) == 1);
  writer.noteLastNode(15, 7, 1);
  CHECK(timeline->moduleAt(13) == 1);
  CHECK(timeline->moduleAt(14) == 7);
  CHECK(timeline->moduleAt(15) == 1);
  writer.noteLastNode(16, 8, 1);
  CHECK(timeline->moduleAt(15) == 8);
  CHECK(timeline->moduleAt(16) == 1);
}

TEST_CASE("an overwritten change point is unknown; a kept one is found") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  const uint64_t points = Timeline::kCapacity + 100;
  for (uint64_t i = 1; i <= points; ++i) {
    writer.note(i, static_cast<uint32_t>(i));
  }
  CHECK(timeline->moduleAt(50) == std::nullopt);
  CHECK(timeline->moduleAt(points) == static_cast<uint32_t>(points));
  CHECK(timeline->moduleAt(points - 1000) == static_cast<uint32_t>(points - 1000));
}

TEST_CASE("every number is found") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  constexpr uint64_t kPoints = 70;
  for (uint64_t i = 0; i < kPoints; ++i) {
    writer.note(10 + 3 * i, static_cast<uint32_t>(i));
    for (uint64_t number = 10; number < 10 + 3 * (i + 1); ++number) {
      CHECK(timeline->moduleAt(number) == (number - 10) / 3);
    }
  }
}

TEST_CASE("a reader concurrent with the writer gets the right module or none") {
  const std::unique_ptr<Timeline> timeline(Timeline::create());
  TimelineWriter writer(*timeline);
  std::atomic<uint64_t> written{0};
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    for (uint64_t i = 1; !stop.load(std::memory_order_relaxed); ++i) {
      writer.note(i, static_cast<uint32_t>(i));
      written.store(i, std::memory_order_release);
    }
  });
  int wrong = 0;
  int known = 0;
  for (int round = 0; round < 200000; ++round) {
    const uint64_t newest = written.load(std::memory_order_acquire);
    const uint64_t wanted = newest - newest % 1000 - (newest > 2000 ? 1000 : 0);
    const std::optional<uint32_t> module = timeline->moduleAt(wanted);
    known += module ? 1 : 0;
    wrong += module && *module != static_cast<uint32_t>(wanted) ? 1 : 0;
  }
  stop.store(true);
  thread.join();
  CHECK(wrong == 0);
  CHECK(known > 0);
}

TEST_CASE("threads: each has its own, and it outlives the thread until many others have ended") {
  constexpr uint64_t kFirst = 1000000; // ids that no thread of this process has
  Timeline* first = Timelines::add(kFirst);
  REQUIRE(first != nullptr);
  TimelineWriter(*first).note(5, 42);
  CHECK(Timelines::moduleAt(kFirst, 6) == 42);
  CHECK(Timelines::moduleAt(kFirst + 1, 6) == 0); // never called a module
  Timelines::retire(*first);
  CHECK(Timelines::moduleAt(kFirst, 6) == 42);
  for (uint64_t id = kFirst + 1; id <= kFirst + Timelines::kMaxRetired + 1; ++id) {
    Timeline* next = Timelines::add(id);
    REQUIRE(next != nullptr);
    CHECK(next->moduleAt(6) == 0); // one that was used before starts empty
    Timelines::retire(*next);
  }
  CHECK(Timelines::moduleAt(kFirst, 6) == 0);
}

} // namespace
} // namespace commtap
