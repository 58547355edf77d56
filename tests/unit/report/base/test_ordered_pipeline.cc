// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/ordered_pipeline.h"

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <string>

namespace commtap {
namespace {

TEST_CASE("OrderedPipeline delivers each item once, in order, with a bounded lead") {
  std::atomic<size_t> made = 0;
  size_t used = 0;
  constexpr size_t kCount = 5000;
  OrderedPipeline<size_t> pipeline(kCount, [&made](size_t /*thread*/, size_t item) {
    ++made;
    return item * 2;
  });
  size_t furthest = 0;
  pipeline.run([&](size_t item, size_t value) {
    CHECK(item == used++);
    CHECK(value == item * 2);
    furthest = std::max(furthest, made - item);
  });
  CHECK(used == kCount);
  CHECK(furthest <= OrderedPipeline<size_t>::threadCount() * 8 + 1);
}

TEST_CASE("OrderedPipeline numbers its threads and accepts zero items or one") {
  size_t used = 0;
  const auto use = [&used](size_t /*item*/, const std::string& /*value*/) { ++used; };
  OrderedPipeline<std::string>(0, [](size_t, size_t) { return ""; }).run(use);
  CHECK(used == 0);
  OrderedPipeline<std::string>(1, [](size_t thread, size_t) {
    return std::string(thread < OrderedPipeline<std::string>::threadCount() ? "x" : "");
  }).run([&](size_t item, const std::string& value) {
    CHECK(value == "x");
    use(item, value);
  });
  CHECK(used == 1);
}

TEST_CASE("OrderedPipeline can be destroyed before all items are made") {
  OrderedPipeline<int> pipeline(1000, [](size_t, size_t) { return 1; });
}

TEST_CASE("OrderedPipeline::run() throws a maker's exception after the items before it") {
  constexpr size_t kFails = 3;
  size_t used = 0;
  OrderedPipeline<size_t> pipeline(1000, [](size_t /*thread*/, size_t item) {
    if (item == kFails) {
      throw std::bad_alloc();
    }
    return item;
  });
  CHECK_THROWS_AS(pipeline.run([&](size_t item, size_t /*value*/) { used = item + 1; }), std::bad_alloc);
  CHECK(used <= kFails);
}

} // namespace
} // namespace commtap
