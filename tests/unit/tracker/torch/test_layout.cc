// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/layout.h"

#include <array>
#include <string>

#include <ATen/SequenceNumber.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "tests/unit/fake_group.h"
#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

TEST_CASE("the torch that the tracker was built for has its layout") {
  CHECK(layoutDifference() == "");
  CHECK(layoutDifference(*makeGroup("pg", "a description that is longer than a short string", 4)) == "");
  CHECK(layoutDifference(*c10::make_intrusive<c10d::Work>(0, c10d::OpType::ALLREDUCE)) == "");
}

TEST_CASE("comparing takes no sequence number of the job's") {
  const uint64_t before = at::sequence_number::peek();
  CHECK(layoutDifference() == "");
  CHECK(at::sequence_number::peek() == before);
}

/// A group as Python makes them: its getters are overridden.
class OverridingGroup final : public c10d::ProcessGroup {
 public:
  OverridingGroup() : ProcessGroup(-1, -1) {}
  int getRank() const override {
    return 3;
  }
  int getSize() const override {
    return 4;
  }
  const std::string& getGroupDesc() const override {
    return desc_;
  }

 private:
  std::string desc_ = "its own";
};

TEST_CASE("a group that overrides the getters has the layout as well") {
  CHECK(layoutDifference(*c10::make_intrusive<OverridingGroup>()) == "");
}

TEST_CASE("memory that is no group of this layout differs") {
  // Zeros are no map of backends.
  alignas(c10d::ProcessGroup) std::array<char, sizeof(c10d::ProcessGroup) + 64> memory{};
  const auto& group = *reinterpret_cast<const c10d::ProcessGroup*>(memory.data());
  CHECK(layoutDifference(group) == "process groups: the load factor of the backends is true and reads as false");
}

} // namespace
} // namespace commtap
