// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/layout.h"

#include <array>

#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

struct Virtuals {
  virtual int first() const;
  virtual int second() const;
  virtual int third() const;
  virtual ~Virtuals() = default;
};
int Virtuals::first() const {
  return 1;
}
int Virtuals::second() const {
  return 2;
}
int Virtuals::third() const {
  return 3;
}

TEST_CASE("the slots of virtual functions are in the order of the class") {
  CHECK(vtableSlot(&Virtuals::first) == 0);
  CHECK(vtableSlot(&Virtuals::second) == 1);
  CHECK(vtableSlot(&Virtuals::third) == 2);
}

TEST_CASE("slots come after the two words for the class") {
  const int first = 0;
  const int second = 0;
  const std::array<const void*, 4> vtable = {nullptr, nullptr, &first, &second};
  CHECK(functionInSlot(vtable.data(), 0) == &first);
  CHECK(functionInSlot(vtable.data(), 1) == &second);
}

TEST_CASE("the slot of a function is where an object's vtable has it") {
  const Virtuals object;
  const void* const* slots = nullptr;
  std::memcpy(static_cast<void*>(&slots), static_cast<const void*>(&object), sizeof(slots));
  int (*second)(const Virtuals*) = nullptr;
  std::memcpy(static_cast<void*>(&second), slots + vtableSlot(&Virtuals::second), sizeof(second));
  CHECK(second(&object) == 2);
}

} // namespace
} // namespace commtap
