// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/ops/op_observer.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

/// Returns true for two ops that call no other op, and for the op that only the callback runs.
bool isOfTest(std::string_view name) {
  return name == "aten::neg" || name == "aten::relu" || name == "aten::ones";
}

void note(const commtap_op* op, void* context) {
  if (isOfTest(op->name)) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(op->phase) + " " + op->name);
  }
  at::ones({1}); // the callback's own ops are not reported to it
}

TEST_CASE_FIXTURE(TrackerFixture, "the callback receives every op on every thread until it is removed") {
  std::vector<std::string> heard;
  setOpCallback(note, &heard);
  const at::Tensor x = at::zeros({2});
  heard.clear();
  x.neg();
  std::thread([&] { x.relu(); }).join();
  setOpCallback(nullptr, nullptr);
  x.neg();
  CHECK(heard == std::vector<std::string>{"other aten::neg", "other aten::relu"});
}

} // namespace
} // namespace commtap
