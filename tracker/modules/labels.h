// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "tracker/core/thread_state.h"

namespace commtap {

/// A label of record_function begins or ends on this thread: optimizer steps become scopes, FSDP's labels name the unit
/// for which a collective is made. Every other label costs two comparisons; it is no scope where there is Python,
/// because there the modules are the hierarchy, and labels are mostly those of libraries, made for a profiler's time
/// line.
/// `object`: what has the label; with it the label ends, wherever it stands among those that are open.
void openLabel(std::string_view label, const void* object);
void closeLabel(const void* object);

enum class OtherLabels : uint8_t { kIgnored, kScopes };

/// Receives labels from torch itself, for a process without Python (torch::RecordScope::USER_SCOPE only, so ordinary
/// ops pay nothing); there, RECORD_USER_SCOPE is how a job says what it is at, and `others` become scopes. Where there
/// is Python its record_function is watched instead: as long as any such callback exists, every Gloo collective
/// prepares a profiler event, at the price of microseconds each.
void receiveLabelsFromTorch(OtherLabels others);
void stopLabelsFromTorch();
bool receivesLabelsFromTorch();

/// Python's part has seen a label begin. If torch sends it too, it is told already.
void openPythonLabel(const char* label, const void* object);

/// True for torch.optim's own label, `Optimizer.step#AdamW.step`.
bool isOptimizerStepLabel(std::string_view label);

struct UnitLabelText {
  UnitLabel::Library made_by;
  bool prefetch;
  std::string_view unit; ///< a part of the label
};
/// The unit that a label of FSDP names: `FSDP::all_gather (layers.1)`, `FSDP::backward_prefetch for layers.1`,
/// `FSDP::post_backward_reduce` (the root), `FullyShardedDataParallel._pre_backward_hook` (names none).
/// nullopt for every other label.
std::optional<UnitLabelText> parseUnitLabel(std::string_view label);

} // namespace commtap
