// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampler.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>

#include "report/base/process.h"
#include "report/runs/report_paths.h"
#include "report/samples/samples.h"
#include "report/samples/samples_writer.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/verify/device_samples.h"
#include "tracker/verify/sampled_parameter.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{100}; ///< at the end of the process, for the GPUs

void noteLost(const std::string& why) {
  ProcessLedger::ledger().notSeen(NotSeen::kSamplesLost, why);
}

void noteUnsampled(const std::string& parameter) {
  ProcessLedger::ledger().notSeen(NotSeen::kUnsampledParameters, parameter);
}

/// The samples of the process. The functions that begin with a lock never wait for the GIL with it.
class ProcessSampling {
 public:
  void setSteps(const SampledSteps& steps) {
    steps_ = steps;
  }
  bool wants(uint64_t step) const {
    return steps_.contains(step);
  }
  /// Notes that a step of an optimizer begins. Returns whether the next step of one has a sample.
  bool stepBegins(uint32_t optimizer, uint64_t step) {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_next_[optimizer] = wants(step + 1) && ended_.empty();
    return std::any_of(has_next_.begin(), has_next_.end(), [](const auto& entry) { return entry.second; });
  }
  /// Calls use(inputs) with what has entered reductions and forwards since the last sample.
  template <typename Use>
  auto withInputs(const Use& use) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return use(inputs_);
  }
  /// Returns why a sample that is due cannot be taken; "" if it can.
  std::string obstacle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ended_.empty() && samples_.isFull() ? "the GPU had not yet completed earlier samples" : ended_;
  }
  /// Returns how many samples of an optimizer began before this one.
  uint64_t earlier(uint32_t optimizer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return earlier_[optimizer]++;
  }
  /// Returns the number of a parameter in the file. A parameter whose facts have changed is another one.
  uint32_t parameterNumber(
      uint32_t optimizer,
      const CommtapSampledParameter& parameter,
      const std::optional<TensorPlace>& place);
  /// Adds a sample, and writes it if no GPU works for it or an earlier one.
  void add(QueuedSample sample);
  /// Returns whether samples wait for a GPU.
  bool isWaiting() const {
    return is_waiting_.load(std::memory_order_relaxed);
  }
  /// Writes the samples whose digests GPUs have completed, unless another thread is at work. Returns whether none
  /// waits.
  bool writeDone();
  /// Notes the samples that still wait as lost.
  void loseWaiting();
  void reset();

  static ProcessSampling& get() {
    static auto* instance = new ProcessSampling(); // leaked on purpose: threads train until the process exits
    return *instance;
  }
  std::mutex& mutex() {
    return mutex_;
  }

 private:
  void writeDoneLocked();
  void writeLocked(const QueuedSample& queued);
  std::string writeToFile(const QueuedSample& queued);

  std::mutex mutex_;
  SampledSteps steps_; ///< does not change after the start
  DeviceSamples samples_;
  std::atomic<bool> is_waiting_{false}; ///< there are such
  bool has_device_ended_ = false;
  SamplesWriter writer_;
  std::string ended_;
  std::unordered_map<std::string, uint32_t> numbers_; ///< of parameters, by all of their facts
  std::vector<SampledParameter> added_;               ///< that are not in the file yet
  std::unordered_map<uint32_t, uint64_t> earlier_;    ///< samples, by optimizer
  std::unordered_map<uint32_t, bool> has_next_;       ///< whether the next step has a sample, by optimizer
  StepInputs inputs_;
};

uint32_t ProcessSampling::parameterNumber(
    uint32_t optimizer,
    const CommtapSampledParameter& parameter,
    const std::optional<TensorPlace>& place) {
  std::string key = parameterKey(optimizer, parameter) + (place ? "" : "?");
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = static_cast<uint32_t>(numbers_.size());
  const auto [entry, is_new] = numbers_.emplace(std::move(key), number);
  if (is_new) {
    SampledParameter& added = added_.emplace_back(sampledParameter(optimizer, parameter));
    added.has_place = place.has_value();
    added.part = place ? place->numbers() : std::vector<int64_t>();
  }
  return entry->second;
}

void ProcessSampling::add(QueuedSample sample) {
  const std::lock_guard<std::mutex> lock(mutex_);
  samples_.add(std::move(sample));
  writeDoneLocked();
  if (isWaiting()) {
    // CUDA has registered its exit handler already, so this one runs earlier.
    [[maybe_unused]] static const int registered = std::atexit(Sampler::finish);
  }
}

bool ProcessSampling::writeDone() {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (lock) {
    writeDoneLocked();
  }
  return !isWaiting();
}

void ProcessSampling::writeDoneLocked() {
  while (const std::optional<QueuedSample> queued = samples_.takeDone()) {
    writeLocked(*queued);
  }
  is_waiting_.store(!samples_.isEmpty(), std::memory_order_relaxed);
  if (!samples_.ended().empty() && !has_device_ended_) {
    has_device_ended_ = true;
    logWarning("parameters on GPUs are no longer sampled for commtap verify: " + samples_.ended());
  }
}

/// Writes a sample that no GPU works for. One of which nothing could be sampled is lost.
void ProcessSampling::writeLocked(const QueuedSample& queued) {
  for (const DevicePart& part : queued.missing) {
    noteUnsampled(part.name);
  }
  std::for_each(queued.errors.begin(), queued.errors.end(), noteLost);
  if (!queued.errors.empty() && queued.sample.rows.empty()) {
    return;
  }
  if (ended_.empty()) {
    ended_ = writeToFile(queued);
    if (ended_.empty()) {
      return;
    }
    logWarning("no more samples are taken for commtap verify: " + ended_);
  }
  noteLost(ended_);
}

std::string ProcessSampling::writeToFile(const QueuedSample& queued) {
  if (!writer_.isOpen()) {
    if (std::string error = writer_.create(ProcessLedger::get().reportPath(), kSamplesEnding, queued.job);
        !error.empty()) {
      return error;
    }
    logDebug("samples: " + writer_.path());
  }
  std::string error = writer_.append(added_, queued.sample, kMostSamplesBytes);
  added_.clear();
  return error;
}

void ProcessSampling::loseWaiting() {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  while (lock && !samples_.isEmpty()) {
    samples_.takeUndone();
    noteLost("the GPU had not completed the sample when the process ended");
    writeDoneLocked(); // those after it may be of the CPU, or of another GPU
  }
  is_waiting_.store(false, std::memory_order_relaxed);
}

void ProcessSampling::reset() {
  writer_.close();
  ended_.clear();
  numbers_.clear();
  added_.clear();
  earlier_.clear();
  has_next_.clear();
  inputs_ = StepInputs();
  samples_ = DeviceSamples(); // without a call of the driver, which does not work after a fork
  is_waiting_.store(false, std::memory_order_relaxed);
  has_device_ended_ = false;
}

/// The sample of one step, while the Python part hands over its parameters.
class StepTake {
 public:
  int begins(uint32_t optimizer, uint64_t step) {
    ProcessSampling& sampling = ProcessSampling::get();
    if (!sampling.wants(step) || ProcessLedger::get().reportPath().empty()) {
      return 0; // without a report, the process has no process group, and nothing to compare with
    }
    if (const std::string obstacle = sampling.obstacle(); !obstacle.empty()) {
      noteLost(obstacle);
      return 0;
    }
    is_due_ = true;
    inputs_ = ProcessSampling::get().withInputs([](StepInputs& inputs) { return std::exchange(inputs, StepInputs()); });
    sample_.optimizer = optimizer;
    sample_.step = step;
    sample_.at_ns = wallClockNs();
    return 1;
  }
  void counted(size_t parameters) {
    thinning_ = SampleThinning(parameters, ProcessSampling::get().earlier(sample_.optimizer));
    sample_.rows.reserve(parameters);
  }
  bool wants(const char* name) const {
    return thinning_.hasRow(name);
  }
  void take(const CommtapSampledParameter& parameter) {
    const size_t row = sample_.rows.size();
    try {
      takeRow(parameter);
    } catch (...) {
      tensors_.removeRow(row); // else another parameter's row would get its digests
      throw;
    }
  }
  /// Adds the sample to those of the process, if one was due.
  void finish() {
    if (!is_due_) {
      return;
    }
    const Result<Report> head = ProcessLedger::get().readHead();
    if (!head) {
      noteLost(head.error());
      return;
    }
    for (const Group& group : head->groups) {
      sample_.groups.push_back({group.name, group.collectives});
    }
    inputs_.moveTo(sample_);
    ProcessSampling::get().add({std::move(sample_), head->job, tensors_.takeBatches(), {}, {}});
  }

 private:
  void takeRow(const CommtapSampledParameter& parameter) {
    SampleRow row;
    std::optional<TensorPlace> place = placeOfParameter(parameter);
    if (!takeDigest(parameter, false, place, row.value)) {
      noteUnsampled(parameter.name);
      return;
    }
    row.has_sums = thinning_.hasSums(parameter.name);
    row.is_gradient_partial = parameter.is_gradient_partial != 0;
    if (const void* gradient = gradientOf(parameter); gradient != nullptr) {
      inputs_.noteGradient(*static_cast<const c10::TensorImpl*>(gradient), parameter.name);
      std::optional<PlacedShard> of_gradient = placeOfGradient(parameter, place);
      std::optional<TensorPlace> its_place = of_gradient ? std::optional(of_gradient->place) : std::nullopt;
      row.has_gradient = takeDigest(parameter, true, its_place, row.gradient);
      row.has_gradient_place = its_place.has_value();
      row.is_gradient_whole = its_place && place && its_place->isWhole() && !place->isWhole();
      row.gradient_summed_over = of_gradient ? of_gradient->summed_over : 0;
      row.is_gradient_unknown = !row.has_gradient;
      if (!row.has_gradient) {
        noteUnsampled(parameter.name);
      }
    }
    row.parameter = ProcessSampling::get().parameterNumber(sample_.optimizer, parameter, place);
    sample_.rows.push_back(row);
  }
  static const void* gradientOf(const CommtapSampledParameter& parameter) {
    return parameter.gradient != nullptr ? parameter.gradient
                                         : keptGradient(*static_cast<const c10::TensorImpl*>(parameter.value));
  }
  /// Sets a digest, or has it set later if a GPU has the tensor. Returns false if the tensor cannot be sampled. Resets
  /// `place` if the digest does not follow it.
  bool takeDigest(
      const CommtapSampledParameter& parameter,
      bool is_gradient,
      std::optional<TensorPlace>& place,
      Digest& digest) {
    const void* tensor = is_gradient ? gradientOf(parameter) : parameter.value;
    if (tensor == nullptr) {
      return false;
    }
    const auto& impl = *static_cast<const c10::TensorImpl*>(tensor);
    place = place && place->elements() == impl.numel() ? std::move(place) : std::nullopt;
    if (const std::optional<Digest> made = digestOfTensor(impl, place ? &*place : nullptr)) {
      digest = *made;
      return true;
    }
    const bool is_read_by_step = parameter.is_in_optimizer != 0 && gradientOf(parameter) != nullptr;
    return tensors_.add(
        impl,
        {sample_.rows.size(), is_gradient, parameter.name},
        is_read_by_step ? TensorUse::kReadByStep : TensorUse::kOther,
        place);
  }

  bool is_due_ = false;
  StepInputs inputs_;
  Sample sample_;
  SampleThinning thinning_{0, 0};
  DeviceTensors tensors_;
};

StepTake& takeOf(void* data) {
  return *static_cast<StepTake*>(data);
}

int begins(void* data, uint32_t optimizer, uint64_t step) {
  int wanted = 0;
  catchAllInSample("a sample", [&] {
    wanted = takeOf(data).begins(optimizer, step);
    Sampler::record(ProcessSampling::get().stepBegins(optimizer, step));
  });
  return wanted;
}

void counted(void* data, size_t parameters) {
  catchAllInSample("a sample", [&] { takeOf(data).counted(parameters); });
}

int wants(void* data, const char* name) {
  return takeOf(data).wants(name) ? 1 : 0; // throws nothing
}

void take(void* data, const CommtapSampledParameter* parameter) {
  catchAllInSample("a sampled parameter", [&] { takeOf(data).take(*parameter); });
}

constinit std::atomic<decltype(CommtapPython::sample_step)> sample_step{nullptr};
constinit std::atomic<bool> step_seen{false};

bool hasTrained() {
  const uint32_t sign = ProcessLedger::ledger().header().steps_from.load(std::memory_order_relaxed); // 0: none
  return sign > 0 && static_cast<StepSign>(sign - 1) != StepSign::kForward;
}

} // namespace

constinit std::atomic<bool> Sampler::is_on_{false};
constinit std::atomic<bool> Sampler::is_recording_{false};

void Sampler::start(const SampledSteps& steps) {
  ProcessSampling::get().setSteps(steps);
  is_on_.store(steps.isOn(), std::memory_order_relaxed);
  recordFirst();
}

void Sampler::setFunction(decltype(CommtapPython::sample_step) function) {
  sample_step.store(function, std::memory_order_release);
  recordFirst();
}

/// A process whose steps are not seen takes no samples.
void Sampler::recordFirst() {
  record(isOn() && sample_step.load(std::memory_order_acquire) != nullptr && ProcessSampling::get().wants(1));
}

void Sampler::stepBegins() noexcept {
  step_seen.store(true, std::memory_order_relaxed);
  const auto sample = sample_step.load(std::memory_order_acquire);
  if (sample == nullptr) {
    return;
  }
  const CostSample cost(CostPart::kOther, 1);
  catchAllInSample("a sample", [sample] {
    if (!ProcessLedger::get().isOfThisProcess()) {
      return;
    }
    if (ProcessSampling::get().isWaiting()) {
      ProcessSampling::get().writeDone();
    }
    StepTake step;
    const CommtapStepSampler sampler = {&step, begins, counted, wants, take};
    sample(&sampler);
    step.finish();
  });
}

void Sampler::reductionBegins(const ReductionCall& call, std::span<const c10::TensorImpl* const> tensors) {
  ProcessSampling& sampling = ProcessSampling::get();
  const bool has_room = sampling.withInputs([](const StepInputs& inputs) { return inputs.hasRoom(); });
  if (!call.is_gradient && !sampling.withInputs([](const StepInputs& inputs) { return inputs.hasForward(); })) {
    return;
  }
  uint64_t unread = has_room ? 0 : tensors.size();
  std::vector<StepInputs::Reduced> reduced;
  if (has_room) {
    reduced = StepInputs::read(call, tensors, unread);
  }
  sampling.withInputs([&](StepInputs& inputs) {
    inputs.add(std::move(reduced));
    if (unread > 0) {
      inputs.addGap(has_room ? kUnreadReductions : kTooManyReductions, unread);
    }
  });
}

void Sampler::forwardBegins(std::span<const c10::TensorImpl* const> tensors) {
  ProcessSampling& sampling = ProcessSampling::get();
  const bool has_autocast = at::autocast::is_autocast_enabled(at::kCPU) || at::autocast::is_autocast_enabled(at::kCUDA);
  const bool has_room =
      sampling.withInputs([has_autocast](StepInputs& inputs) { return inputs.forwardBegins(has_autocast); });
  // A module that takes what another one made has no data of its own.
  const auto is_made = [](const c10::TensorImpl* tensor) { return tensor->requires_grad(); };
  if (std::any_of(tensors.begin(), tensors.end(), is_made)) {
    return;
  }
  const std::optional<SampledBatch> rows = has_room ? StepInputs::readRows(tensors) : std::nullopt;
  sampling.withInputs([&](StepInputs& inputs) {
    if (rows) {
      inputs.add(*rows);
    } else {
      inputs.addGap(!has_room ? kTooManyForwards : tensors.empty() ? kForwardsWithoutTensors : kUnreadForwards);
    }
  });
}

uint64_t Sampler::generatorState() {
  auto* generator = at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
  const std::lock_guard<std::mutex> lock(generator->mutex_);
  const at::mt19937_data_pod data = generator->engine().data();
  return digestMix(digestMix(data.state_[0]) + digestMix(data.state_[1]) + data.next_);
}

void Sampler::forwardEnds(uint64_t generator) {
  if (generatorState() != generator) {
    ProcessSampling::get().withInputs([](StepInputs& inputs) { inputs.noteDraws(); });
  }
}

void Sampler::noteGap(std::string_view why) {
  ProcessSampling::get().withInputs([why](StepInputs& inputs) { inputs.addGap(why); });
}

void Sampler::finish() {
  if (!isOn() || !ProcessSampling::get().isWaiting() || !ProcessLedger::get().isOfThisProcess()) {
    return;
  }
  catchAll("the last samples", [] {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!ProcessSampling::get().writeDone() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    ProcessSampling::get().loseWaiting();
  });
}

void Sampler::noteUnseenSteps() {
  if (isOn() && !step_seen.load(std::memory_order_relaxed) && hasTrained()) {
    ProcessLedger::ledger().notSeen(
        NotSeen::kSamplesLost, "no step of a torch.optim.Optimizer was seen: it is compiled, or of another class");
  }
}

void Sampler::resetInForkedChild() {
  step_seen.store(false, std::memory_order_relaxed);
  ProcessSampling::get().reset();
  recordFirst();
}

ForkLock Sampler::forkLock() {
  return {
      &ProcessSampling::get().mutex(),
      [] {
        auto* sampling = new (&ProcessSampling::get()) ProcessSampling();
        sampling->setSteps(ProcessLedger::get().options().verify);
      },
      "samples at a fork"};
}

} // namespace commtap
