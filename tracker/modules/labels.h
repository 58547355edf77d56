// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "tracker/core/thread_state.h"

namespace commtap {

/// Notes that a label of record_function begins or ends on this thread. Optimizer steps become scopes; FSDP's labels
/// name the unit that a collective belongs to. Every other label names the collectives outside of every module. With
/// Python it is not a scope: there the modules are the hierarchy, and most labels are a library's, for a profiler's
/// timeline. `object` identifies the label when it ends, at any position among the open labels.
void openLabel(std::string_view label, const void* object);
void closeLabel(const void* object);

enum class OtherLabels : uint8_t { kIgnored, kScopes };

/// Receives labels from torch itself, for a process without Python: there a job names its work by RECORD_USER_SCOPE,
/// and `others` can become scopes. Uses torch::RecordScope::USER_SCOPE only, so ordinary ops pay nothing. With Python,
/// record_function is hooked instead: while such a callback exists, every Gloo collective prepares a profiler event,
/// which costs microseconds.
void receiveLabelsFromTorch(OtherLabels others);
void stopLabelsFromTorch();
bool receivesLabelsFromTorch();

/// Notes that the Python part has seen a label begin. Does nothing while torch sends labels too.
void openPythonLabel(const char* label, const void* object);

/// Returns true for torch.optim's own label, such as `Optimizer.step#AdamW.step`.
bool isOptimizerStepLabel(std::string_view label);

/// Returns the part of a label that names collectives; "" for a label of torch's own. A number at the end, as in
/// `iteration 7`, is not part of it: it would make a row per number.
std::string_view userLabel(std::string_view label);

struct UnitLabelText {
  UnitLabel::Library made_by;
  bool prefetch = false;
  std::string_view unit{};     ///< a view into the label
  Phase phase = Phase::kOther; ///< of the work; kOther if the label does not say
  uint32_t stage = 0;          ///< of a pipeline
  bool communicates = false;   ///< FSDP2 makes its collectives directly under this label
};
/// Returns the unit that a label of FSDP names: `FSDP::all_gather (layers.1)`, `FSDP::backward_prefetch for layers.1`,
/// `FSDP::post_backward_reduce` (the root, or a unit that has no name yet), `FullyShardedDataParallel._pre_forward` (no
/// name), and the action of a pipeline schedule: `Forward 3`, `PP:1SEND_F2`. Returns nullopt for every other label.
std::optional<UnitLabelText> parseUnitLabel(std::string_view label);

} // namespace commtap
