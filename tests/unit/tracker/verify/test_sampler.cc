// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampler.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "report/samples/samples_reader.h"
#include "tests/unit/fake_gpu.h"
#include "tests/unit/samples.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

/// The optimizer of these tests, whose Python part is this.
struct FakeOptimizer {
  std::vector<std::string> names;
  at::Tensor value = at::ones({2});
  at::Tensor gradient = at::arange(2, at::kFloat);
  int requires_grad = 1;
  uint64_t steps = 0;
};

FakeOptimizer& optimizer() {
  static auto* instance = new FakeOptimizer();
  return *instance;
}

CommtapSampledParameter parameterNamed(const char* name) {
  CommtapSampledParameter parameter{};
  parameter.name = name;
  parameter.shape = parameter.local_shape = "[2]";
  parameter.dtype = "float32";
  parameter.mesh = parameter.placements = parameter.coordinate = "";
  parameter.ddp_ranks = "[0,1]";
  parameter.gradient_placements = parameter.flat_shape = "";
  parameter.value = optimizer().value.unsafeGetTensorImpl();
  parameter.gradient = optimizer().gradient.defined() ? optimizer().gradient.unsafeGetTensorImpl() : nullptr;
  parameter.is_in_optimizer = parameter.has_model_name = 1;
  parameter.requires_grad = optimizer().requires_grad;
  parameter.tensor_model_parallel = -1;
  parameter.sequence_parallel = 1;
  parameter.allreduce = 0;
  return parameter;
}

void expect(bool is_so, const std::string& what) {
  if (!is_so) {
    sayLine(what);
  }
}

void sampleStep(const CommtapStepSampler* sampler) {
  if (sampler->begins(sampler->data, 0, ++optimizer().steps) == 0) {
    return;
  }
  sampler->counted(sampler->data, optimizer().names.size());
  for (const std::string& name : optimizer().names) {
    const CommtapSampledParameter parameter = parameterNamed(name.c_str());
    expect(sampler->wants(sampler->data, name.c_str()) != 0, "a parameter is not wanted");
    sampler->take(sampler->data, &parameter);
  }
}

/// Begins `count` steps in this process, which is rank 0 if it has a group.
void beginSteps(int count) {
  for (int i = 0; i < count; ++i) {
    Sampler::stepBegins();
  }
}

void startSampling(std::vector<std::string> names) {
  optimizer().names = std::move(names);
  Sampler::setFunction(sampleStep);
  Sampler::start(SampledSteps{false, {1, 3}});
  ProcessLedger::get().processGroupSeen(0, 2);
}

std::string samplesPath() {
  return ProcessLedger::get().reportPath() + ".samples";
}

void checkInChild(const std::function<void()>& body) {
  const TrackerFixture tracker;
  const ChildResult child = TrackerFixture::runInTrackedChild(body);
  CHECK(child.said == "");
  CHECK(child.status == 0);
}

uint64_t notSeen(std::string_view reason) {
  return TrackerFixture().notSeen(reason);
}

TEST_CASE("the named steps are in the file once they have begun") {
  checkInChild([] {
    startSampling({"Net.a", "Net.b"});
    expect(Sampler::isOn(), "sampling is off");
    beginSteps(2);
    expect(readSamplesFile(samplesPath())->samples.size() == 1, "the first step is not there");
    optimizer().names.emplace_back("Net.c");
    beginSteps(3);
    const ProcessSamples samples = *readSamplesFile(samplesPath());
    expect(samples.job.rank == 0 && samples.job.pid == static_cast<uint64_t>(getpid()), "another job");
    expect(samples.parameters.size() == 3 && samples.parameters[2].name == "Net.c", "other parameters");
    const SampledParameter& first = samples.parameters.at(0);
    expect(first.ddp_ranks == std::vector<int64_t>{0, 1} && first.shape == std::vector<int64_t>{2}, "other lists");
    expect(!first.tensor_model_parallel && first.sequence_parallel == true && first.allreduce == false, "attributes");
    expect(samples.samples.size() == 2 && samples.samples[1].step == 3, "other steps");
    const Sample& last = samples.samples.back();
    expect(last.rows.size() == 3 && last.rows[2].parameter == 2, "other rows");
    expect(last.rows.at(0).value.squares == 2 && last.rows.at(0).gradient.squares == 1, "other digests");
    expect(last.rows.at(0).has_gradient && last.rows.at(0).has_sums, "no gradient");
    unlink(samplesPath().c_str());
  });
}

std::vector<const c10::TensorImpl*> implsOf(const std::vector<at::Tensor>& tensors) {
  std::vector<const c10::TensorImpl*> impls;
  for (const at::Tensor& tensor : tensors) {
    impls.push_back(tensor.unsafeGetTensorImpl());
  }
  return impls;
}

TEST_CASE("what enters forwards and reductions is read before a step with a sample, and goes with it") {
  checkInChild([] {
    startSampling({"Net.a"});
    expect(Sampler::isRecording(), "the first step is not due");
    Sampler::reductionBegins({"0", 1, "Global", false}, implsOf({optimizer().gradient}));
    Sampler::forwardBegins(implsOf({at::arange(8, at::kFloat).view({2, 4})}));
    Sampler::forwardBegins(implsOf({at::ones({2, 4}).requires_grad_()}));
    Sampler::forwardBegins({});
    Sampler::reductionBegins({"0", 2, "Global", false}, implsOf({optimizer().gradient}));
    Sampler::reductionBegins({"0", 3, "Net", true}, implsOf({at::ones({3}), at::empty({3}, at::device(at::kMeta))}));
    beginSteps(1);
    expect(!Sampler::isRecording(), "the second step has no sample");
    beginSteps(1);
    expect(Sampler::isRecording(), "the third step has a sample");
    beginSteps(1);
    const ProcessSamples samples = *readSamplesFile(samplesPath());
    const Sample& first = samples.samples.at(0);
    expect(first.reductions.size() == 2, "a reduction before a forward, or none after it");
    expect(first.reductions.at(0).is_gradient && first.reductions.at(0).module == "Net.a", "no gradient");
    expect(first.reductions.at(1).elements == 3 && first.reductions.at(1).sequence == 3, "another reduction");
    expect(first.batch.forwards == 3 && first.batch.rows == 2, "other rows");
    expect(first.gaps.size() == 2, "other gaps");
    expect(samples.samples.at(1).reductions.empty() && samples.samples.at(1).batch.forwards == 0, "kept inputs");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("a parameter whose facts change gets another number") {
  checkInChild([] {
    startSampling({"Net.a", "Net.a"});
    beginSteps(1);
    optimizer().gradient = at::Tensor();
    optimizer().requires_grad = 0;
    beginSteps(2);
    const ProcessSamples samples = *readSamplesFile(samplesPath());
    expect(samples.parameters.size() == 2, "other numbers");
    expect(samples.parameters.at(0).requires_grad && !samples.parameters.at(1).requires_grad, "other facts");
    expect(samples.samples.at(0).rows.at(1).parameter == 0, "another number for the same facts");
    const SampleRow& last = samples.samples.at(1).rows.at(0);
    expect(last.parameter == 1 && !last.has_gradient && !last.is_gradient_unknown, "another row");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("what cannot be sampled is counted, and is no lack of a gradient") {
  checkInChild([] {
    startSampling({"Net.a", "Net.b"});
    optimizer().gradient = at::empty({2}, at::device(at::kMeta));
    beginSteps(1);
    const Sample first = readSamplesFile(samplesPath())->samples.at(0);
    expect(first.rows.at(0).is_gradient_unknown && !first.rows.at(0).has_gradient, "a known gradient");
    expect(notSeen("unsampled_parameters") == 2, "the gradients are not counted");
    optimizer().value = at::empty({2}, at::device(at::kMeta));
    beginSteps(2);
    expect(readSamplesFile(samplesPath())->samples.at(1).rows.empty(), "a row of a parameter without values");
    expect(notSeen("unsampled_parameters") == 4, "the values are not counted");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("a process without a group takes no samples, and counts its steps") {
  checkInChild([] {
    optimizer().names = {"Net.a"};
    Sampler::setFunction(sampleStep);
    Sampler::start(SampledSteps{false, {1, 3}});
    beginSteps(2);
    ProcessLedger::get().processGroupSeen(0, 2);
    beginSteps(1);
    const ProcessSamples samples = *readSamplesFile(samplesPath());
    expect(samples.samples.size() == 1 && samples.samples[0].step == 3, "other steps");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("a file that cannot be written ends sampling, and each lost sample is counted") {
  const TrackerFixture tracker;
  const ChildResult child = TrackerFixture::runInTrackedChild([] {
    startSampling({"Net.a"});
    beginSteps(1);
    expect(truncate(samplesPath().c_str(), 0) == 0, "truncate");
    errno = 7;
    beginSteps(2);
    expect(errno == 7, "errno");
    expect(notSeen("samples_lost") == 1, "not counted");
    unlink(samplesPath().c_str());
  });
  CHECK(has(child.said, "no more samples are taken for commtap verify"));
  CHECK(has(child.said, "another program has changed it"));
}

/// Makes a GPU have the optimizer's parameter, and the CPU its gradient.
void moveToGpu() {
  optimizer().value = FakeGpu::tensor(at::arange(5000, at::kFloat));
}

const Digest& digestOnCpu() {
  static const Digest* digest = new Digest(*digestOfTensor(*at::arange(5000, at::kFloat).unsafeGetTensorImpl()));
  return *digest;
}

bool hasFile() {
  struct stat facts {};
  return stat(samplesPath().c_str(), &facts) == 0;
}

TEST_CASE("a GPU's sample is written at a later step, with the number of its own") {
  checkInChild([] {
    moveToGpu();
    const uint64_t launched = fake_cuda_launched_kernels();
    const uint64_t forbidden = fake_cuda_forbidden_calls();
    FakeGpu::get().streams[0].hangs = true;
    startSampling({"Net.a", "Net.b"});
    beginSteps(2);
    FakeGpu::waitForEvents();
    beginSteps(1);
    expect(!hasFile(), "a file before the GPU is done");
    FakeGpu::get().streams[0].hangs = false;
    FakeGpu::waitForEvents();
    beginSteps(1);
    const ProcessSamples samples = *readSamplesFile(samplesPath());
    expect(samples.samples.size() == 2, "another number of samples");
    expect(samples.samples.at(0).step == 1 && samples.samples.at(1).step == 3, "other steps");
    for (const Sample& sample : samples.samples) {
      expect(sample.rows.size() == 2, "other rows");
      expect(sample.rows.at(1).value.bits == digestOnCpu().bits, "other bits");
      expect(sample.rows.at(1).value.squares == static_cast<float>(digestOnCpu().squares), "another norm");
      expect(sample.rows.at(1).has_gradient && sample.rows.at(1).gradient.squares == 1, "another gradient");
    }
    expect(fake_cuda_launched_kernels() == launched + 2, "not one launch per sample");
    expect(fake_cuda_forbidden_calls() == forbidden, "forbidden calls");
    expect(notSeen("samples_lost") + notSeen("unsampled_parameters") == 0, "something is missing");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("the last sample is written at the end if its GPU is done, and is lost otherwise") {
  checkInChild([] {
    moveToGpu();
    startSampling({"Net.a"});
    beginSteps(2);
    Sampler::finish();
    expect(readSamplesFile(samplesPath())->samples.size() == 1, "the last sample is not there");
    FakeGpu::get().streams[0].hangs = true;
    beginSteps(1);
    Sampler::finish();
    Sampler::finish();
    expect(readSamplesFile(samplesPath())->samples.size() == 1, "a sample that nothing has computed");
    expect(notSeen("samples_lost") == 1, "not counted");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("a step that a CUDA graph captures has no sample") {
  checkInChild([] {
    moveToGpu();
    const uint64_t launched = fake_cuda_launched_kernels();
    const uint64_t forbidden = fake_cuda_forbidden_calls();
    const size_t allocated = fake_cuda_allocated();
    startSampling({"Net.a"});
    {
      const FakeCapture capture(FakeGpu::get().streams[0]);
      beginSteps(1);
    }
    FakeGpu::waitForEvents();
    beginSteps(1);
    expect(!hasFile(), "a sample of the capture");
    expect(fake_cuda_launched_kernels() == launched && fake_cuda_allocated() == allocated, "CUDA was called");
    expect(notSeen("samples_lost") == 1 && notSeen("unsampled_parameters") == 1, "not counted");
    beginSteps(1);
    Sampler::finish();
    expect(readSamplesFile(samplesPath())->samples.at(0).step == 3, "no sample after the capture");
    expect(fake_cuda_forbidden_calls() == forbidden, "forbidden calls");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("an error of CUDA ends the samples of GPUs, and no others") {
  const TrackerFixture tracker;
  const ChildResult child = TrackerFixture::runInTrackedChild([] {
    moveToGpu();
    startSampling({"Net.a"});
    fake_cuda_fail("cuMemAlloc_v2", 2);
    errno = 7;
    beginSteps(1);
    expect(errno == 7, "errno");
    fake_cuda_fail(nullptr, 0);
    beginSteps(2);
    expect(!hasFile() && notSeen("samples_lost") == 2, "not counted");
    optimizer().value = at::ones({2});
    optimizer().steps = 0;
    beginSteps(1);
    expect(readSamplesFile(samplesPath())->samples.size() == 1, "the CPU's sample is not there");
    unlink(samplesPath().c_str());
  });
  CHECK(has(child.said, "parameters on GPUs are no longer sampled"));
  CHECK(has(child.said, "cuMemAlloc() failed with CUDA's error 2"));
  CHECK_FALSE(has(child.said, "not counted"));
  CHECK_FALSE(has(child.said, "errno"));
  CHECK_FALSE(has(child.said, "is not there"));
}

TEST_CASE("a forked child does not write the samples that its parent waits for") {
  checkInChild([] {
    moveToGpu();
    FakeGpu::get().streams[0].hangs = true;
    startSampling({"Net.a"});
    beginSteps(1);
    const ChildResult child = runInChild([] {
      ProcessLedger::get().resetInForkedChild();
      Sampler::resetInForkedChild();
      Sampler::finish();
      expect(notSeen("samples_lost") == 0, "lost in the child");
    });
    expect(child.said.empty(), child.said);
    FakeGpu::get().streams[0].hangs = false;
    Sampler::finish();
    expect(readSamplesFile(samplesPath())->samples.size() == 1, "the parent's sample");
    unlink(samplesPath().c_str());
  });
}

TEST_CASE("a forked child has a file of its own") {
  checkInChild([] {
    startSampling({"Net.a"});
    beginSteps(1);
    const std::string parents = samplesPath();
    const ChildResult child = runInChild([] {
      ProcessLedger::get().resetInForkedChild();
      Sampler::resetInForkedChild();
      ProcessLedger::get().processGroupSeen(0, 2);
      beginSteps(2);
      const std::string own = ProcessLedger::get().reportPath() + ".pid-" + std::to_string(getpid()) + ".samples";
      const Result<ProcessSamples> samples = readSamplesFile(own);
      expect(samples && samples->samples.size() == 1 && samples->parameters.size() == 1, "the child's samples");
      unlink(own.c_str());
    });
    expect(child.said.empty(), child.said);
    expect(readSamplesFile(parents)->samples.size() == 1, "the parent's samples");
    unlink(parents.c_str());
  });
}

TEST_CASE("a process that trains and whose steps are not seen says so at its end") {
  checkInChild([] {
    Sampler::start(SampledSteps{true, {}});
    Sampler::noteUnseenSteps();
    expect(notSeen("samples_lost") == 0, "it has not trained");
    ProcessLedger::ledger().signSeen(StepSign::kForward);
    Sampler::noteUnseenSteps();
    expect(notSeen("samples_lost") == 0, "it has only evaluated");
    ProcessLedger::ledger().signSeen(StepSign::kZeroGrad);
    Sampler::noteUnseenSteps();
    expect(notSeen("samples_lost") == 1, "not noted");
    beginSteps(1);
    Sampler::noteUnseenSteps();
    expect(notSeen("samples_lost") == 1, "noted, though a step was seen");
  });
}

TEST_CASE("sampling is off without steps and without Python") {
  checkInChild([] {
    Sampler::start(SampledSteps());
    expect(!Sampler::isOn(), "on");
    Sampler::setFunction(nullptr);
    Sampler::start(SampledSteps{true, {}});
    ProcessLedger::get().processGroupSeen(0, 2);
    beginSteps(3);
    struct stat facts {};
    expect(stat(samplesPath().c_str(), &facts) != 0, "a file");
  });
}

} // namespace
} // namespace commtap
