// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/stage_tensors.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

constexpr uint64_t kPrevious = 1;
constexpr uint64_t kNext = 2;

struct StageFixture : TrackerFixture {
  uint32_t add(const char* name, uint32_t parent = 0) {
    return ModuleRegistry::get().add(parent, name, "C", ModuleRole::kPlain, false);
  }
  at::Tensor call(uint32_t called, const at::Tensor& input) {
    const at::Tensor output = input * 2;
    tensors.noteInput(called, *input.unsafeGetTensorImpl());
    tensors.noteOutput(called, *output.unsafeGetTensorImpl());
    return output;
  }
  std::optional<StageTensors::Stage> send(const at::Tensor& tensor, uint64_t peer) {
    return tensors.stageOf({Kind::kSend, peer, &tensor});
  }
  std::optional<StageTensors::Stage> receive(const at::Tensor& tensor, uint64_t peer) {
    return tensors.stageOf({Kind::kRecv, peer, &tensor});
  }

  StageTensors tensors;
};

void checkStage(const std::optional<StageTensors::Stage>& stage, uint32_t module, Phase phase) {
  REQUIRE(stage);
  CHECK(stage->module == module);
  CHECK(stage->phase == phase);
}

TEST_CASE_FIXTURE(StageFixture, "activations and gradients of a stage in the middle") {
  const uint32_t stage = add("MiddleStage");
  const at::Tensor input = at::ones({2, 3});
  CHECK_FALSE(receive(input, kPrevious)); // no module has been called
  const at::Tensor output = call(stage, input.detach());
  checkStage(send(output.detach(), kNext), stage, Phase::kForward);
  checkStage(receive(at::ones({2, 3}), kNext), stage, Phase::kBackward);
  checkStage(send(at::ones({2, 3}), kPrevious), stage, Phase::kBackward);
  checkStage(receive(input, kPrevious), stage, Phase::kForward); // the buffer is known now
  checkStage(receive(at::ones({2, 3}), kPrevious), stage, Phase::kForward);
}

TEST_CASE_FIXTURE(StageFixture, "a receive before any module is called is counted again at the stage that takes it") {
  LedgerWriter& ledger = ProcessLedger::ledger();
  CollectiveKey key{};
  key.op = ledger.intern("c10d.recv_");
  key.group = kNoIndex;
  key.kind = Kind::kRecv;
  key.phase = Phase::kOther;
  key.setup = 1;
  const auto countsOf = [this](const char* phase) {
    std::vector<uint64_t> counts;
    for (const Collective& row : rows("c10d.recv_")) {
      if (phaseName(row.phase) == phase) {
        counts.insert(counts.end(), {row.count, row.bytes});
      }
    }
    return counts;
  };
  const at::Tensor input = at::ones({2, 3});
  const at::Tensor other = at::ones({5});
  for (const at::Tensor& tensor : {input, other}) {
    receive(tensor, kPrevious);
    ledger.count(*ledger.row(key), {1, tensor.nbytes()});
    tensors.counted({key, tensor.nbytes()});
  }
  CHECK(countsOf("other") == std::vector<uint64_t>{2, 44});
  call(add("EarlyStage"), input.detach());
  CHECK(countsOf("other") == std::vector<uint64_t>{1, 20});
  CHECK(countsOf("forward") == std::vector<uint64_t>{1, 24});
  receive(input, kPrevious); // the stage is known, so the row is the right one
  ledger.count(*ledger.row(key), {1, input.nbytes()});
  tensors.counted({key, input.nbytes()});
  call(add("EarlyStage"), input.detach());
  CHECK(countsOf("other") == std::vector<uint64_t>{2, 44});
}

TEST_CASE_FIXTURE(StageFixture, "what cannot be an activation or its gradient is no message of a pipeline") {
  const uint32_t stage = add("FirstStage");
  const at::Tensor output = call(stage, at::ones({2, 3}));
  CHECK_FALSE(send(at::ones({2, 3}), kNext)); // nothing came from there
  send(output, kNext);
  CHECK_FALSE(receive(at::ones({1}), kNext));
  CHECK_FALSE(receive(at::ones({2, 3}, at::kInt), kNext));
  CHECK_FALSE(send(at::ones({5}), kNext));
  CHECK_FALSE(send(at::Tensor(), kNext));
  CHECK_FALSE(tensors.stageOf({Kind::kSend, kNext, nullptr}));
}

TEST_CASE_FIXTURE(StageFixture, "what no module takes or gives is no message of a pipeline, as in a ring") {
  const uint32_t model = add("ReducedByHand");
  const at::Tensor input = at::ones({2, 3});
  call(model, at::ones({2, 3}));
  for (int step = 0; step < 2; ++step) {
    CHECK_FALSE(receive(at::ones({5}), kPrevious));
    CHECK_FALSE(send(at::ones({5}), kNext));
  }
  CHECK_FALSE(receive(input, kPrevious));
  call(model, input);
  checkStage(receive(at::ones({2, 3}), kPrevious), model, Phase::kForward);
}

TEST_CASE_FIXTURE(StageFixture, "a stage takes copies of what came into a buffer that is kept") {
  const uint32_t stage = add("CopyingStage");
  const at::Tensor buffer = at::ones({2, 3});
  CHECK_FALSE(receive(buffer, kPrevious)); // no module has been called
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
    call(stage, buffer.clone());
    checkStage(send(at::ones({2, 3}), kPrevious), stage, Phase::kBackward);
    checkStage(receive(buffer, kPrevious), stage, Phase::kForward);
  }
}

TEST_CASE_FIXTURE(StageFixture, "one call takes a message, and an input of another shape or type is no copy of it") {
  const uint32_t stage = add("TakingStage");
  const uint32_t loss = add("LossOfCopies");
  const at::Tensor buffer = at::ones({2, 3});
  receive(buffer, kPrevious);
  call(loss, at::ones({3, 2}));
  call(loss, at::ones({2, 3}, at::kDouble));
  CHECK_FALSE(send(at::ones({2, 3}), kPrevious));
  call(stage, buffer.view({6}));
  call(loss, at::ones({2, 3})); // a target, as large as the message
  checkStage(send(at::ones({2, 3}), kPrevious), stage, Phase::kBackward);
}

TEST_CASE_FIXTURE(StageFixture, "a module of the loss is no stage") {
  const uint32_t stage = add("LastStage");
  const uint32_t loss = add("Loss");
  const at::Tensor input = at::ones({4});
  receive(input, kPrevious);
  call(loss, call(stage, input));
  checkStage(send(at::ones({4}), kPrevious), stage, Phase::kBackward);
}

TEST_CASE_FIXTURE(
    StageFixture,
    "a gradient of one of several stages belongs to their common ancestor, if they have one") {
  const uint32_t model = add("TwoStages");
  const std::vector<uint32_t> stages{add("first", model), add("second", model), add("Stranger")};
  send(call(stages[0], at::ones({4})), kNext);
  send(call(stages[1], at::ones({4})), kNext);
  checkStage(receive(at::ones({4}), kNext), model, Phase::kBackward);
  send(call(stages[2], at::ones({4})), kNext);
  checkStage(receive(at::ones({4}), kNext), kGlobalModule, Phase::kBackward);
}

TEST_CASE_FIXTURE(StageFixture, "keeps no tensor alive, and takes no new memory for a tensor that it knew") {
  const uint32_t stage = add("Forgetful");
  std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> first;
  for (size_t i = 0; i < 2 * StageTensors::kCapacity; ++i) {
    const at::Tensor output = call(stage, at::ones({4}));
    if (i == 0) {
      first = output.storage().getWeakStorageImpl();
    }
    CHECK_FALSE(send(at::ones({4}), kNext));
  }
  CHECK(first->expired());
  CHECK(first->weak_use_count() == 1); // the oldest are forgotten
}

} // namespace
} // namespace commtap
