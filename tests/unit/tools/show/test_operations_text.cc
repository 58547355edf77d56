// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/operations_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("ops are added up over ranks, by module, phase and op") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.operations = {
      {"net1", Phase::kForward, "aten.linear", true, 2}, {"net1", Phase::kBackward, "aten.mm", false, 1}};
  folder.files[1].report.operations = {{"net1", Phase::kForward, "aten.linear", true, 3}};
  ShowFilter filter{.operations = true};
  const std::string all = operationsText(viewOf(folder, filter).operations, Color::none());
  CHECK(all.find("\nnet1    forward   aten.linear  yes          5\n") != std::string::npos);
  CHECK(all.find("\nnet1    backward  aten.mm                   1\n") != std::string::npos);
  filter.phase = Phase::kBackward;
  CHECK(operationsText(viewOf(folder, filter).operations, Color::none()).find("aten.linear") == std::string::npos);
}

TEST_CASE("ops are limited to the modules that match") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.operations = {
      {"net1", Phase::kForward, "aten.linear", true, 2}, {"net2", Phase::kForward, "aten.mm", false, 1}};
  const std::string text = operationsText(viewOf(folder, {.operations = true}).operations, Color::none(), "net2");
  CHECK(text.find("net1") == std::string::npos);
  CHECK(text.find("aten.mm") != std::string::npos);
}

TEST_CASE("a job without ops says how to count them") {
  const SampleRun folder = sampleFolder();
  CHECK(
      operationsText(viewOf(folder, {.operations = true}).operations, Color::none()).find("COMMTAP_LEVEL=ops") !=
      std::string::npos);
}

TEST_CASE("hostile names of ops do nothing to the terminal") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.operations = {{"\x1b[2J", Phase::kForward, "\x07", false, 1}};
  const std::string text = operationsText(viewOf(folder, {.operations = true}).operations, Color::none());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
}

} // namespace
} // namespace commtap
