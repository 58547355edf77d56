// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/object_table.h"

#include <random>
#include <unordered_map>
#include <vector>

#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

/// Returns the addresses of `count` objects of a typical module's size.
std::vector<const void*> addresses(size_t count) {
  constexpr uintptr_t kSize = 48;
  std::vector<const void*> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(reinterpret_cast<const void*>(0x7f0000001000U + i * kSize));
  }
  return all;
}

TEST_CASE("an empty table finds nothing") {
  ObjectTable table;
  int object = 0;
  CHECK(table.find(&object) == ObjectTable::kUnknown);
  CHECK(table.find(nullptr) == ObjectTable::kUnknown);
  CHECK(table.remove(&object) == ObjectTable::kUnknown);
  REQUIRE(table.insert(&object, 3));
  CHECK(table.find(nullptr) == ObjectTable::kUnknown);
}

TEST_CASE("find() finds every object that is in the table, whatever is added or removed") {
  ObjectTable table;
  const auto objects = addresses(3000);
  std::unordered_map<const void*, uint32_t> expected;
  std::mt19937 random(7);
  for (uint32_t i = 0; i < 100'000; ++i) {
    const void* object = objects[random() % objects.size()];
    const auto known = expected.find(object);
    const uint32_t id = known == expected.end() ? ObjectTable::kUnknown : known->second;
    REQUIRE(table.find(object) == id);
    if (random() % 3 != 0) {
      REQUIRE(table.insert(object, i));
      expected[object] = i;
    } else {
      REQUIRE(table.remove(object) == id);
      expected.erase(object);
    }
    REQUIRE(table.size() == expected.size());
  }
  for (const void* object : objects) {
    const auto known = expected.find(object);
    CHECK(table.find(object) == (known == expected.end() ? ObjectTable::kUnknown : known->second));
  }
}

} // namespace
} // namespace commtap
