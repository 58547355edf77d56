// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampler.h"

#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/json_text.h"
#include "report/base/process.h"
#include "report/runs/samples_paths.h"
#include "report/samples/samples_format.h"
#include "report/samples/samples_writer.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/verify/sample_thinning.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

/// The samples of the process. The functions that begin with a lock never wait for the GIL with it.
class ProcessSampling {
 public:
  void setSteps(const SampledSteps& steps) {
    steps_ = steps;
  }
  bool wants(uint64_t step) const {
    return steps_.contains(step);
  }
  /// Returns why no further sample can be taken; "" if it can.
  std::string ended() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ended_;
  }
  /// Returns how many samples of an optimizer began before this one.
  uint64_t earlier(uint32_t optimizer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return samples_[optimizer]++;
  }
  /// Returns the number of a parameter in the file. A parameter whose facts have changed is another one.
  uint32_t parameterNumber(uint32_t optimizer, const CommtapSampledParameter& parameter);
  /// Returns "", or why the sample is lost.
  std::string write(const Sample& sample, const Report& head);
  void reset();

  static ProcessSampling& get() {
    static auto* instance = new ProcessSampling(); // leaked on purpose: threads train until the process exits
    return *instance;
  }
  std::mutex& mutex() {
    return mutex_;
  }

 private:
  std::string writeLocked(const Sample& sample, const Report& head);

  std::mutex mutex_;
  SampledSteps steps_; ///< does not change after the start
  SamplesWriter writer_;
  std::string ended_;
  std::unordered_map<std::string, uint32_t> numbers_; ///< of parameters, by all of their facts
  std::vector<SampledParameter> added_;               ///< that are not in the file yet
  std::unordered_map<uint32_t, uint64_t> samples_;    ///< by optimizer
};

std::optional<bool> knownAttribute(int value) {
  return value < 0 ? std::nullopt : std::optional<bool>(value != 0);
}

SampledParameter sampledParameter(uint32_t optimizer, const CommtapSampledParameter& facts) {
  SampledParameter parameter;
  parameter.name = facts.name;
  parameter.optimizer = optimizer;
  parameter.is_in_optimizer = facts.is_in_optimizer != 0;
  parameter.has_model_name = facts.has_model_name != 0;
  parameter.shape = integersFromJson(facts.shape);
  parameter.local_shape = integersFromJson(facts.local_shape);
  parameter.dtype = facts.dtype;
  parameter.requires_grad = facts.requires_grad != 0;
  parameter.mesh = facts.mesh;
  parameter.placements = stringsFromJson(facts.placements);
  parameter.coordinate = integersFromJson(facts.coordinate);
  parameter.tensor_model_parallel = knownAttribute(facts.tensor_model_parallel);
  parameter.sequence_parallel = knownAttribute(facts.sequence_parallel);
  parameter.allreduce = knownAttribute(facts.allreduce);
  parameter.ddp_ranks = integersFromJson(facts.ddp_ranks);
  parameter.is_fsdp1_flat = facts.is_fsdp1_flat != 0;
  return parameter;
}

/// Returns a text that differs if any fact does.
std::string parameterKey(uint32_t optimizer, const CommtapSampledParameter& facts) {
  std::string key;
  for (const char* text :
       {facts.name,
        facts.shape,
        facts.local_shape,
        facts.dtype,
        facts.mesh,
        facts.placements,
        facts.coordinate,
        facts.ddp_ranks}) {
    key += text;
    key += '\0';
  }
  for (const int number :
       {facts.is_in_optimizer,
        facts.has_model_name,
        facts.requires_grad,
        facts.is_fsdp1_flat,
        facts.tensor_model_parallel,
        facts.sequence_parallel,
        facts.allreduce,
        static_cast<int>(optimizer)}) {
    key += std::to_string(number) + ",";
  }
  return key;
}

uint32_t ProcessSampling::parameterNumber(uint32_t optimizer, const CommtapSampledParameter& parameter) {
  std::string key = parameterKey(optimizer, parameter);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto number = static_cast<uint32_t>(numbers_.size());
  const auto [entry, is_new] = numbers_.emplace(std::move(key), number);
  if (is_new) {
    added_.push_back(sampledParameter(optimizer, parameter));
  }
  return entry->second;
}

std::string ProcessSampling::write(const Sample& sample, const Report& head) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_.empty()) {
    ended_ = writeLocked(sample, head);
  }
  return ended_;
}

std::string ProcessSampling::writeLocked(const Sample& sample, const Report& head) {
  if (!writer_.isOpen()) {
    if (std::string error = writer_.create(ProcessLedger::get().reportPath(), kSamplesEnding, head.job);
        !error.empty()) {
      return error;
    }
    logDebug("samples: " + writer_.path());
  }
  std::string error = writer_.append(added_, sample, kMostSamplesBytes);
  added_.clear();
  return error;
}

void ProcessSampling::reset() {
  writer_.close();
  ended_.clear();
  numbers_.clear();
  added_.clear();
  samples_.clear();
}

/// The sample of one step, while the Python part hands over its parameters.
class StepTake {
 public:
  int begins(uint32_t optimizer, uint64_t step) {
    ProcessSampling& sampling = ProcessSampling::get();
    if (!sampling.wants(step) || ProcessLedger::get().reportPath().empty()) {
      return 0; // without a report, the process has no process group, and nothing to compare with
    }
    if (const std::string ended = sampling.ended(); !ended.empty()) {
      lose(ended);
      return 0;
    }
    is_due_ = true;
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
    const std::optional<Digest> value = digestAt(parameter.value);
    if (!value) {
      notSampled(parameter);
      return;
    }
    SampleRow row;
    row.value = *value;
    row.has_sums = thinning_.hasSums(parameter.name);
    row.is_gradient_partial = parameter.is_gradient_partial != 0;
    if (const void* kept = gradientOf(parameter)) {
      const std::optional<Digest> gradient = digestAt(kept);
      row.has_gradient = gradient.has_value();
      row.is_gradient_unknown = !gradient;
      row.gradient = gradient.value_or(Digest());
      if (!gradient) {
        notSampled(parameter);
      }
    }
    row.parameter = ProcessSampling::get().parameterNumber(sample_.optimizer, parameter);
    sample_.rows.push_back(row);
  }
  /// Writes the sample, if one was due.
  void finish() {
    if (!is_due_) {
      return;
    }
    const Result<Report> head = ProcessLedger::get().readHead();
    if (!head) {
      lose(head.error());
      return;
    }
    for (const Group& group : head->groups) {
      sample_.groups.push_back({group.name, group.collectives});
    }
    if (const std::string error = ProcessSampling::get().write(sample_, *head); !error.empty()) {
      logWarning("no more samples are taken for commtap verify: " + error);
      lose(error);
    }
  }

 private:
  static std::optional<Digest> digestAt(const void* tensor) {
    return tensor == nullptr ? std::nullopt : digestOfTensor(*static_cast<const c10::TensorImpl*>(tensor));
  }
  static const void* gradientOf(const CommtapSampledParameter& parameter) {
    return parameter.gradient != nullptr ? parameter.gradient
                                         : keptGradient(*static_cast<const c10::TensorImpl*>(parameter.value));
  }
  static void notSampled(const CommtapSampledParameter& parameter) {
    ProcessLedger::ledger().notSeen(NotSeen::kUnsampledParameters, parameter.name);
  }
  static void lose(const std::string& why) {
    ProcessLedger::ledger().notSeen(NotSeen::kSamplesLost, why);
  }

  bool is_due_ = false;
  Sample sample_;
  SampleThinning thinning_{0, 0};
};

StepTake& takeOf(void* data) {
  return *static_cast<StepTake*>(data);
}

int begins(void* data, uint32_t optimizer, uint64_t step) {
  int wanted = 0;
  catchAllInSample("a sample", [&] { wanted = takeOf(data).begins(optimizer, step); });
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

void Sampler::start(const SampledSteps& steps) {
  ProcessSampling::get().setSteps(steps);
  is_on_.store(steps.isOn(), std::memory_order_relaxed);
}

void Sampler::setFunction(decltype(CommtapPython::sample_step) function) {
  sample_step.store(function, std::memory_order_release);
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
    StepTake step;
    const CommtapStepSampler sampler = {&step, begins, counted, wants, take};
    sample(&sampler);
    step.finish();
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
