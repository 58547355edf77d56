// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_samples.h"

#include "tests/unit/torch_doctest.h"

#include <string>
#include <vector>

#include "tests/unit/fake_gpu.h"
#include "tracker/verify/digest.h"

namespace commtap {
namespace {

constexpr float kValues[] = {1, 2, 3, 4};

QueuedSample sampleOfStep(uint64_t step, size_t rows) {
  QueuedSample queued;
  queued.sample.step = step;
  queued.sample.rows.resize(rows);
  return queued;
}

/// Makes a GPU digest the first `count` values for a row.
void addPart(DeviceBatch& batch, size_t row, bool is_gradient, size_t count) {
  DigestTensor tensor{};
  tensor.address = reinterpret_cast<uintptr_t>(&kValues[0]);
  tensor.elements = count;
  tensor.type = DigestType::kFloat32;
  batch.tensors.push_back(tensor);
  batch.parts.push_back({row, is_gradient, "Net.p" + std::to_string(row)});
}

DeviceBatch batchOn(fake_stream& stream, int device = 0) {
  DeviceBatch batch;
  batch.device = device;
  batch.stream = &stream;
  return batch;
}

TEST_CASE("a sample is done when its GPU is, and those after it wait") {
  fake_stream stream{};
  stream.hangs = true;
  DeviceSamples samples;
  CHECK(samples.isEmpty());
  QueuedSample first = sampleOfStep(1, 2);
  first.batches.push_back(batchOn(stream));
  addPart(first.batches[0], 0, false, 4);
  addPart(first.batches[0], 1, true, 2);
  first.sample.rows[1].has_gradient = true;
  samples.add(first);
  samples.add(sampleOfStep(2, 1));
  CHECK_FALSE(samples.takeDone());
  stream.hangs = false;
  FakeGpu::waitForEvents();
  const QueuedSample done = *samples.takeDone();
  CHECK(done.sample.step == 1);
  REQUIRE(done.sample.rows.size() == 2);
  CHECK(done.sample.rows[0].value.bits == digestOf(&kValues[0], 4, DigestType::kFloat32).bits);
  CHECK(done.sample.rows[0].value.squares == 30);
  CHECK(done.sample.rows[1].gradient.squares == 5);
  CHECK(done.sample.rows[1].value.squares == 0);
  CHECK(done.errors.empty());
  CHECK(samples.takeDone()->sample.step == 2);
  CHECK(samples.isEmpty());
  CHECK_FALSE(samples.takeDone());
}

TEST_CASE("what a GPU cannot do is missing: a row without values is left out, a gradient is unknown") {
  fake_stream stream{};
  DeviceSamples samples;
  QueuedSample queued = sampleOfStep(3, 3);
  queued.batches = {batchOn(stream), batchOn(stream, 1)};
  addPart(queued.batches[0], 2, false, 1);
  addPart(queued.batches[1], 0, false, 1); // device 1 has no context
  addPart(queued.batches[1], 1, true, 1);
  queued.sample.rows[1].has_gradient = true;
  queued.sample.rows[1].parameter = 7;
  samples.add(queued);
  FakeGpu::waitForEvents();
  const QueuedSample done = *samples.takeDone();
  CHECK(done.errors == std::vector<std::string>{"cuda:1: cuda:1 has no context"});
  REQUIRE(done.missing.size() == 2);
  CHECK(done.missing[0].name == "Net.p0");
  REQUIRE(done.sample.rows.size() == 2);
  CHECK(done.sample.rows[0].parameter == 7);
  CHECK(done.sample.rows[0].is_gradient_unknown);
  CHECK_FALSE(done.sample.rows[0].has_gradient);
  CHECK(done.sample.rows[1].value.squares == 1);
}

TEST_CASE("digests whose event fails are missing") {
  fake_stream stream{};
  DeviceSamples samples;
  QueuedSample queued = sampleOfStep(1, 1);
  queued.batches.push_back(batchOn(stream));
  addPart(queued.batches[0], 0, false, 4);
  samples.add(queued);
  fake_cuda_fail("cuEventQuery", 700);
  const QueuedSample done = *samples.takeDone();
  fake_cuda_fail(nullptr, 0);
  CHECK(done.sample.rows.empty());
  CHECK(done.missing.size() == 1);
  CHECK(done.errors[0] == "cuda:0: " + samples.ended());
}

TEST_CASE("samples that wait are bounded, and can be taken as they are") {
  fake_stream stream{};
  stream.hangs = true;
  DeviceSamples samples;
  for (uint64_t step = 1; step <= DeviceSamples::kMost; ++step) {
    CHECK_FALSE(samples.isFull());
    QueuedSample queued = sampleOfStep(step, 1);
    queued.batches.push_back(batchOn(stream));
    addPart(queued.batches[0], 0, false, 4);
    samples.add(queued);
  }
  CHECK(samples.isFull());
  FakeGpu::waitForEvents();
  CHECK_FALSE(samples.takeDone());
  CHECK(samples.takeUndone().sample.step == 1);
  CHECK_FALSE(samples.isFull());
}

} // namespace
} // namespace commtap
