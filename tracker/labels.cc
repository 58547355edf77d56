// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/labels.h"

#include <algorithm>
#include <array>
#include <memory>

#include <ATen/record_function.h>

#include "tracker/torch_compat.h"

namespace commtap {
namespace {

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kFsdp2 = "FSDP::";
constexpr std::string_view kFsdp1 = "FullyShardedDataParallel.";

// The labels under which FSDP2 works for one unit (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py).
constexpr std::array<std::string_view, 9> kFsdp2UnitLabels = {
    "all_gather",
    "all_gather_copy_out",
    "pre_forward",
    "post_forward",
    "pre_backward",
    "post_backward_accumulate",
    "post_backward_reshard",
    "post_backward_rs_wait",
    "post_backward_reduce",
};

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::optional<UnitLabel> parseFsdp2(std::string_view label) {
  constexpr std::string_view kFor = "_prefetch for ";
  if (const size_t at = label.find(kFor); at != std::string_view::npos) {
    return UnitLabel{UnitLabel::Library::kFsdp2, true, std::string(label.substr(at + kFor.size()))};
  }
  const std::string_view what = label.substr(0, label.find(' '));
  if (std::find(kFsdp2UnitLabels.begin(), kFsdp2UnitLabels.end(), what) == kFsdp2UnitLabels.end()) {
    return std::nullopt;
  }
  const size_t open = label.find(" (");
  const size_t close = label.rfind(')');
  const bool named = open != std::string_view::npos && close != std::string_view::npos && close > open + 2;
  return UnitLabel{
      UnitLabel::Library::kFsdp2, false, named ? std::string(label.substr(open + 2, close - open - 2)) : ""};
}

/// What a label opened, so that its end closes just that.
struct OpenLabel : at::ObserverContext {
  ThreadState* thread = nullptr;
  std::optional<uint32_t> scope_depth;
  size_t unit_labels = 0;
};

std::unique_ptr<at::ObserverContext> openOptimizerStep(ThreadState& thread) {
  auto open = std::make_unique<OpenLabel>();
  open->thread = &thread;
  open->scope_depth =
      thread.enter({Scope::Type::kOptimizerStep, compat::inBackward(), thread.currentModule()});
  return open;
}

std::unique_ptr<at::ObserverContext> openUnit(ThreadState& thread, UnitLabel label) {
  auto open = std::make_unique<OpenLabel>();
  open->thread = &thread;
  open->unit_labels = thread.unit_labels.size();
  thread.unit_labels.push_back(std::move(label));
  return open;
}

std::unique_ptr<at::ObserverContext> onLabelStart(const at::RecordFunction& function) {
  const std::string_view label = function.name();
  const bool step = isOptimizerStepLabel(label);
  std::optional<UnitLabel> unit = step ? std::nullopt : parseUnitLabel(label);
  ThreadState* thread = step || unit ? ThreadState::current() : nullptr;
  if (thread == nullptr) {
    return nullptr;
  }
  return step ? openOptimizerStep(*thread) : openUnit(*thread, std::move(*unit));
}

void onLabelEnd(const at::RecordFunction&, at::ObserverContext* context) {
  auto* open = static_cast<OpenLabel*>(context);
  if (open == nullptr || open->thread != ThreadState::current()) {
    return; // a label that ends on another thread is none of those that we follow
  }
  if (open->scope_depth) {
    open->thread->leave(*open->scope_depth);
  } else if (open->thread->unit_labels.size() > open->unit_labels) {
    open->thread->unit_labels.resize(open->unit_labels);
  }
}

at::CallbackHandle& handle() {
  static at::CallbackHandle instance = 0;
  return instance;
}

} // namespace

bool isOptimizerStepLabel(std::string_view label) {
  return startsWith(label, kOptimizerStep);
}

std::optional<UnitLabel> parseUnitLabel(std::string_view label) {
  if (startsWith(label, kFsdp2)) {
    return parseFsdp2(label.substr(kFsdp2.size()));
  }
  if (startsWith(label, kFsdp1)) {
    return UnitLabel{UnitLabel::Library::kFsdp1, label.find("_prefetch") != std::string_view::npos, ""};
  }
  return std::nullopt;
}

void startLabels() {
  handle() = at::addGlobalCallback(
      at::RecordFunctionCallback(onLabelStart, onLabelEnd).scopes({at::RecordScope::USER_SCOPE}));
}

void stopLabels() {
  at::removeCallback(handle());
}

} // namespace commtap
