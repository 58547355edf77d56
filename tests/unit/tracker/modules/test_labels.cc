// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/labels.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/record_function.h>

#include <string>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

using Library = UnitLabel::Library;

void checkUnit(std::string_view label, Library made_by, bool prefetch, std::string_view unit) {
  CAPTURE(std::string(label));
  const std::optional<UnitLabelText> parsed = parseUnitLabel(label);
  REQUIRE(parsed);
  CHECK(parsed->made_by == made_by);
  CHECK(parsed->prefetch == prefetch);
  CHECK(parsed->unit == unit);
}

TEST_CASE("FSDP's labels name the unit") {
  checkUnit("FSDP::all_gather (layers.1)", Library::kFsdp2, false, "layers.1");
  checkUnit("FSDP::all_gather", Library::kFsdp2, false, "");
  checkUnit("FSDP::post_backward_reduce (a.b)", Library::kFsdp2, false, "a.b");
  checkUnit("FSDP::backward_prefetch for layers.0", Library::kFsdp2, true, "layers.0");
  checkUnit("FSDP::forward_prefetch for layers.2", Library::kFsdp2, true, "layers.2");
  checkUnit("FSDP::all_gather (norm, output)", Library::kFsdp2, false, "norm, output");
  checkUnit("FSDP::all_gather (layers.0) [pg=2]", Library::kFsdp2, false, "layers.0");
  checkUnit("FSDP::all_gather [pg=2]", Library::kFsdp2, false, "");
  checkUnit("FullyShardedDataParallel._pre_forward", Library::kFsdp1, false, "");
  checkUnit("FullyShardedDataParallel._pre_backward_prefetch", Library::kFsdp1, true, "");
}

TEST_CASE("labels of FSDP2 say the phase of the work, except those of both phases") {
  CHECK(parseUnitLabel("FSDP::pre_forward (a)")->phase == Phase::kForward);
  CHECK(parseUnitLabel("FSDP::post_backward_reduce (a)")->phase == Phase::kBackward);
  CHECK(parseUnitLabel("FSDP::backward_prefetch for a")->phase == Phase::kBackward);
  CHECK(parseUnitLabel("FSDP::all_gather (a)")->phase == Phase::kOther);
}

TEST_CASE("labels of a pipeline's schedule name the stage and the phase") {
  const auto check = [](std::string_view label, uint32_t stage, Phase phase) {
    CAPTURE(std::string(label));
    const std::optional<UnitLabelText> parsed = parseUnitLabel(label);
    REQUIRE(parsed);
    CHECK(parsed->made_by == Library::kPipeline);
    CHECK(parsed->stage == stage);
    CHECK(parsed->phase == phase);
  };
  check("Forward 3", 0, Phase::kForward);
  check("Backward 12", 0, Phase::kBackward);
  check("PP:2F0", 2, Phase::kForward);
  check("PP:11SEND_F3", 11, Phase::kForward);
  check("PP:0RECV_B1", 0, Phase::kBackward);
  check("PP:3UNSHARD", 3, Phase::kForward);
  check("PP:3REDUCE_GRAD", 3, Phase::kBackward);
  check("PP:1WAIT_SEND_F2", 1, Phase::kForward);
  check("PP:1WAIT_SEND_B2", 1, Phase::kBackward);
  check("PP:0WAIT_REDUCE_GRAD", 0, Phase::kBackward);
}

TEST_CASE_FIXTURE(TrackerFixture, "a label of the job's own that reads like a schedule's is none") {
  int label = 0;
  openLabel("Forward 3", &label);
  CHECK(ThreadState::current()->unit_labels.empty());
  closeLabel(&label);
}

TEST_CASE("other labels name none") {
  for (const char* label :
       {"Forward",
        "Forward pass",
        "Forward 3b",
        "PP:F0",
        "PP:0X1",
        "PP:(0F1;1B0)OVERLAP_F_B",
        "",
        "forward",
        "FSDP::something_new (x)",
        "FSDP",
        "Optimizer.step#SGD.step",
        "## x ##"}) {
    CAPTURE(label);
    CHECK_FALSE(parseUnitLabel(label));
  }
  CHECK(isOptimizerStepLabel("Optimizer.step#AdamW.step"));
  CHECK_FALSE(isOptimizerStepLabel("Optimizer.zero_grad#AdamW.zero_grad"));
}

TEST_CASE_FIXTURE(TrackerFixture, "labels nest, and closing a label that is not open does nothing") {
  ThreadState& thread = *ThreadState::current();
  int step = 0;
  int unit = 0;
  int other = 0;
  closeLabel(&step);
  closeLabel(&unit);
  CHECK(thread.top() == nullptr);
  openLabel("Optimizer.step#SGD.step", &step);
  openLabel("FSDP::all_gather (a)", &unit);
  openLabel("my own label", &other);
  REQUIRE(thread.top() != nullptr);
  CHECK(thread.top()->type == Scope::Type::kOptimizerStep);
  CHECK(thread.optimizer_steps.back().text == "SGD.step");
  CHECK(thread.unit_labels.size() == 1);
  closeLabel(&other);
  CHECK(thread.unit_labels.size() == 1);
  closeLabel(&unit);
  CHECK(thread.unit_labels.empty());
  CHECK(thread.top() != nullptr);
  closeLabel(&step);
  CHECK(thread.top() == nullptr);
}

TEST_CASE_FIXTURE(TrackerFixture, "a label ends alone, even if it is around others or was entered twice") {
  ThreadState& thread = *ThreadState::current();
  int outer = 0;
  int inner = 0;
  openLabel("FSDP::all_gather (a)", &outer);
  openLabel("FSDP::all_gather (b)", &inner);
  openLabel("FSDP::all_gather (b)", &inner);
  closeLabel(&outer);
  REQUIRE(thread.unit_labels.size() == 2);
  closeLabel(&inner);
  REQUIRE(thread.unit_labels.size() == 1);
  CHECK(thread.unit_labels.back().unit == "b");
  closeLabel(&inner);
  CHECK(thread.unit_labels.empty());
}

TEST_CASE_FIXTURE(TrackerFixture, "torch sends the labels in a process without Python, until stopped") {
  ThreadState& thread = *ThreadState::current();
  receiveLabelsFromTorch(OtherLabels::kIgnored);
  {
    RECORD_USER_SCOPE("Optimizer.step#SGD.step");
    REQUIRE(thread.top() != nullptr);
  }
  CHECK(thread.top() == nullptr);
  stopLabelsFromTorch();
  CHECK_FALSE(receivesLabelsFromTorch());
  {
    RECORD_USER_SCOPE("Optimizer.step#SGD.step");
    CHECK(thread.top() == nullptr);
  }
}

TEST_CASE_FIXTURE(TrackerFixture, "all labels except torch's own can be scopes; the last setting applies") {
  ThreadState& thread = *ThreadState::current();
  receiveLabelsFromTorch(OtherLabels::kIgnored);
  receiveLabelsFromTorch(OtherLabels::kScopes);
  CHECK(receivesLabelsFromTorch());
  {
    RECORD_USER_SCOPE("mine");
    REQUIRE(thread.top() != nullptr);
    CHECK(thread.top()->type == Scope::Type::kNamed);
    const uint32_t depth = thread.depth();
    {
      RECORD_USER_SCOPE("FSDP::all_gather (a)");
      CHECK(thread.depth() == depth);
    }
  }
  CHECK(thread.top() == nullptr);
  receiveLabelsFromTorch(OtherLabels::kIgnored);
  {
    RECORD_USER_SCOPE("mine");
    CHECK(thread.top() == nullptr);
  }
  stopLabelsFromTorch();
}

TEST_CASE("the job's own labels name collectives, without a number at their end") {
  for (const char* torchs : {"Replicate::finalize_backward", "DataParallel.forward", "FSDP::finalize_backward"}) {
    CHECK(userLabel(torchs) == "");
  }
  CHECK(userLabel("clip gradients") == "clip gradients");
  CHECK(userLabel("iteration 17") == "iteration");
  CHECK(userLabel("step#3") == "step");
  CHECK(userLabel("stage1") == "stage1");
  CHECK(userLabel("a 1 b") == "a 1 b");
  for (const char* label :
       {"", "17", " 17", "Optimizer.zero_grad#SGD.zero_grad", "enumerate(DataLoader)#x", "FSDP::new"}) {
    CAPTURE(label);
    CHECK(userLabel(label).empty());
  }
  CHECK(userLabel(std::string(500, 'x')).size() == 80);
}

TEST_CASE_FIXTURE(TrackerFixture, "a thread knows its open labels, at most 32") {
  ThreadState& thread = *ThreadState::current();
  int objects[40];
  for (int& object : objects) {
    openLabel("mine", &object);
  }
  CHECK(thread.user_labels.size() == 32);
  openLabel("17", &thread);
  CHECK(thread.user_labels.back().object == &objects[31]);
  for (int& object : objects) {
    closeLabel(&object);
  }
  CHECK(thread.user_labels.empty());
}

} // namespace
} // namespace commtap
