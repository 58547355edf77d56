// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/labels.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <memory>
#include <system_error>
#include <vector>

#include <ATen/record_function.h>

#include "tracker/attribution/python_frames.h"
#include "tracker/attribution/running_work.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/steps.h"
#include "tracker/modules/module_hook.h"
#include "tracker/torch/compat.h"
#include "tracker/torch/module_names.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

constexpr size_t kMostUserLabels = 32; ///< open at a time on a thread; further ones do not label collectives
constexpr size_t kLongestLabel = 80;   ///< bytes

/// Returns the text between `begin` and `end`; "" if `text` does not begin so.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  return text.starts_with(begin) ? text.substr(begin.size(), text.find(end) - begin.size()) : "";
}

std::optional<UnitLabelText> parseFsdp2(std::string_view label) {
  const std::string_view what = label.substr(0, label.find(' '));
  const std::string_view whom = label.substr(what.size()); // may end in " [pg=2]", if a unit has several groups
  const auto* known = std::find_if(
      torch_names::kFsdp2Labels.begin(), torch_names::kFsdp2Labels.end(), [&](const torch_names::Fsdp2Label& each) {
        return each.text == what;
      });
  if (known == torch_names::kFsdp2Labels.end()) {
    return std::nullopt;
  }
  const bool prefetch = what.ends_with("_prefetch");
  const std::string_view unit = prefetch ? between(whom, " for ", " [") : between(whom, " (", ")");
  return UnitLabelText{
      .made_by = UnitLabel::Library::kFsdp2,
      .prefetch = prefetch,
      .unit = unit,
      .phase = known->phase,
      .communicates = known->communicates};
}

/// Removes the number at the beginning; nullopt if there is none.
std::optional<uint32_t> takeNumber(std::string_view& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() ? std::optional<uint32_t>(number) : std::nullopt;
}

/// `PP:` has been read: `1SEND_F2` is stage 1's action for micro-batch 2.
std::optional<UnitLabelText> parsePipelineAction(std::string_view label) {
  const std::optional<uint32_t> stage = takeNumber(label);
  const std::string_view what = label.substr(0, label.find_first_of("0123456789"));
  const auto* known = std::find_if(
      torch_names::kPipelineActions.begin(),
      torch_names::kPipelineActions.end(),
      [&](const torch_names::PipelineAction& each) { return each.text == what; });
  if (!stage || known == torch_names::kPipelineActions.end()) {
    return std::nullopt;
  }
  return UnitLabelText{.made_by = UnitLabel::Library::kPipeline, .phase = known->phase, .stage = *stage};
}

/// `Forward 3`: the schedule has one stage.
std::optional<UnitLabelText> parseMicroBatch(std::string_view label, Phase phase) {
  const bool is_number = takeNumber(label).has_value() && label.empty();
  return is_number ? std::optional<UnitLabelText>({.made_by = UnitLabel::Library::kPipeline, .phase = phase})
                   : std::nullopt;
}

/// Returns false for a label that c10d marks as asynchronous, such as `gloo:all_reduce`: another thread ends it, so it
/// is not a scope.
bool isScope(const at::RecordFunction& function) {
  const std::string_view label = function.name();
  return !function.isAsync() && !isOptimizerStepLabel(label) && !parseUnitLabel(label);
}

std::unique_ptr<at::ObserverContext> onLabelStart(const at::RecordFunction& function) {
  if (!function.isAsync()) {
    openLabel(function.name(), &function);
  }
  return nullptr;
}

void onLabelEnd(const at::RecordFunction& function, at::ObserverContext*) {
  closeLabel(&function);
}

std::unique_ptr<at::ObserverContext> onLabelOrScopeStart(const at::RecordFunction& function) {
  onLabelStart(function);
  if (isScope(function)) {
    pushScope(function.name());
  }
  return nullptr;
}

void onLabelOrScopeEnd(const at::RecordFunction& function, at::ObserverContext*) {
  if (isScope(function)) {
    popScope();
  }
  closeLabel(&function);
}

/// Returns the last entry of `open` that belongs to `object`, or the end.
template <typename Label>
typename std::vector<Label>::iterator lastOf(std::vector<Label>& open, const void* object) {
  const auto found =
      std::find_if(open.rbegin(), open.rend(), [&](const Label& label) { return label.object == object; });
  return found == open.rend() ? open.end() : std::prev(found.base());
}

/// Reads Python's frames for what the label leaves open. They show the unit, if the label does not name it or if no
/// running module has a root below which its name can be searched. They show the caller of a prefetch, if no other
/// label encloses it.
std::optional<uint32_t> moduleFor(const ThreadState& thread, const UnitLabelText& label) {
  if (label.made_by == UnitLabel::Library::kPipeline) {
    return moduleInFrames(kCommtapPipelineStage, label.stage);
  }
  if (label.made_by != UnitLabel::Library::kFsdp2) {
    return std::nullopt;
  }
  if (label.prefetch) {
    const bool enclosed = !thread.unit_labels.empty() && thread.unit_labels.back().made_by == label.made_by;
    return enclosed ? std::nullopt : moduleInFrames(kCommtapPrefetchingUnit);
  }
  const bool in_module = compat::inBackward() ? compat::currentNode() != nullptr : thread.top() != nullptr;
  return label.communicates && (label.unit.empty() || !in_module) ? moduleInFrames(kCommtapRunningUnit) : std::nullopt;
}

void openUnit(const UnitLabelText& label, const void* object) {
  ThreadState* thread = ThreadState::current();
  if (thread == nullptr) {
    return;
  }
  const std::optional<uint32_t> module = moduleFor(*thread, label);
  if (label.made_by == UnitLabel::Library::kPipeline && !module) {
    return; // a label of the job's own, such as "Forward 3"
  }
  thread->unit_labels.push_back(
      {object,
       label.made_by,
       label.prefetch,
       std::string(label.unit),
       label.phase,
       module.value_or(UnitLabel::kUnknownModule),
       thread->depth(),
       label.communicates});
}

void openStep(std::string_view label, const void* object) {
  if (ThreadState* thread = ThreadState::current(); thread != nullptr) {
    WorkInFrames::torchStepBegins();
    Steps::optimizerBegins();
    const bool has_closure = stepHasClosure();
    const Scope::Type type = has_closure ? Scope::Type::kOptimizerStepWithClosure : Scope::Type::kOptimizerStep;
    const Scope scope{type, compat::inBackward(), thread->currentModule()};
    const std::string_view name = label.substr(torch_names::kOptimizerStep.size(), kLongestLabel);
    const std::optional<int64_t> last = has_closure ? std::optional(Steps::lastBackward()) : std::nullopt;
    thread->optimizer_steps.push_back({object, thread->enter(scope), std::string(name), last});
    thread->step_gradients.reset();
  }
}

void openUserLabel(std::string_view label, const void* object) {
  ThreadState* thread = label.empty() ? nullptr : ThreadState::current();
  if (thread != nullptr && thread->user_labels.size() < kMostUserLabels) {
    thread->user_labels.push_back({object, std::string(label)});
  }
}

/// Returns whether the label is that of an optimizer's step.
bool open(std::string_view label, const void* object) {
  const bool is_step = isOptimizerStepLabel(label);
  if (label.starts_with(torch_names::kZeroGrad)) {
    Steps::gradientsZeroed();
  } else if (is_step) {
    openStep(label, object);
  } else if (const std::optional<UnitLabelText> unit = parseUnitLabel(label)) {
    openUnit(*unit, object);
  } else {
    openUserLabel(userLabel(label), object);
  }
  return is_step;
}

/// The handle of the callback; 0 while torch sends no labels.
constinit std::atomic<at::CallbackHandle> handle{0};

} // namespace

bool isOptimizerStepLabel(std::string_view label) {
  return label.starts_with(torch_names::kOptimizerStep);
}

std::optional<UnitLabelText> parseUnitLabel(std::string_view label) {
  if (label.starts_with(torch_names::kFsdp2)) {
    return parseFsdp2(label.substr(torch_names::kFsdp2.size()));
  }
  if (label.starts_with(torch_names::kFsdp1)) {
    return UnitLabelText{UnitLabel::Library::kFsdp1, label.find(torch_names::kFsdp1Prefetch) != std::string_view::npos};
  }
  if (label.starts_with(torch_names::kPipeline)) {
    return parsePipelineAction(label.substr(torch_names::kPipeline.size()));
  }
  if (label.starts_with(torch_names::kForwardOf)) {
    return parseMicroBatch(label.substr(torch_names::kForwardOf.size()), Phase::kForward);
  }
  if (label.starts_with(torch_names::kBackwardOf)) {
    return parseMicroBatch(label.substr(torch_names::kBackwardOf.size()), Phase::kBackward);
  }
  return std::nullopt;
}

std::string_view userLabel(std::string_view label) {
  const bool is_torchs = std::any_of(
      torch_names::kOtherLabels.begin(),
      torch_names::kOtherLabels.end(),
      [label](const torch_names::OtherLabel& known) { return label.starts_with(known.start); });
  if (is_torchs) {
    return "";
  }
  constexpr std::string_view kSeparators = " #:_-./";
  const std::string_view name = label.substr(0, label.find_last_not_of("0123456789") + 1);
  const bool has_number = name.size() < label.size() && (name.empty() || kSeparators.find(name.back()) != name.npos);
  return (has_number ? name.substr(0, name.find_last_not_of(kSeparators) + 1) : label).substr(0, kLongestLabel);
}

void openLabel(std::string_view label, const void* object) {
  bool is_step = false;
  catchAll("a label", [&] { is_step = open(label, object); });
  if (is_step && Sampler::isOn()) { // outside of what is timed as a label: a sample may take a second
    Sampler::stepBegins();
  }
}

void closeLabel(const void* object) {
  const CostSample sample;
  ThreadState* thread = ThreadState::ifKnown();
  if (thread == nullptr) {
    return;
  }
  // A label that opened before counting began, or on another thread, has no entry.
  if (const auto unit = lastOf(thread->unit_labels, object); unit != thread->unit_labels.end()) {
    thread->unit_labels.erase(unit);
  } else if (const auto step = lastOf(thread->optimizer_steps, object); step != thread->optimizer_steps.end()) {
    const uint32_t depth = step->depth;
    if (step->last_backward) {
      Steps::inClosure(*step->last_backward);
    }
    thread->optimizer_steps.erase(step);
    thread->leave(depth);
    thread->step_gradients.reset();
    if (thread->optimizer_steps.empty()) { // else the step around it may call its closure again
      Steps::optimizerStepped();
    }
  } else if (const auto user = lastOf(thread->user_labels, object); user != thread->user_labels.end()) {
    thread->user_labels.erase(user);
  }
}

void openPythonLabel(const char* label, const void* object) {
  if (!receivesLabelsFromTorch()) {
    openLabel(label, object);
  }
}

void receiveLabelsFromTorch(OtherLabels others) {
  const at::RecordFunctionCallback callback = others == OtherLabels::kScopes
                                                  ? at::RecordFunctionCallback(onLabelOrScopeStart, onLabelOrScopeEnd)
                                                  : at::RecordFunctionCallback(onLabelStart, onLabelEnd);
  stopLabelsFromTorch();
  handle = at::addGlobalCallback(at::RecordFunctionCallback(callback).scopes({at::RecordScope::USER_SCOPE}));
}

bool receivesLabelsFromTorch() {
  return handle.load(std::memory_order_relaxed) != 0;
}

void stopLabelsFromTorch() {
  if (const at::CallbackHandle old = handle.exchange(0); old != 0) {
    at::removeCallback(old);
  }
}

} // namespace commtap
