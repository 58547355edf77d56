// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "tracker/thread_state.h"

namespace commtap {

/// Receives the labels of torch's record_function on every thread (torch::RecordScope::USER_SCOPE only, so ordinary
/// ops pay nothing): optimizer steps become scopes, FSDP's labels name the unit for which a collective is made.
void startLabels();
void stopLabels();

/// True for torch.optim's own label, `Optimizer.step#AdamW.step`.
bool isOptimizerStepLabel(std::string_view label);

/// The unit that a label of FSDP names: `FSDP::all_gather (layers.1)`, `FSDP::backward_prefetch for layers.1`,
/// `FSDP::post_backward_reduce` (the root), `FullyShardedDataParallel._pre_backward_hook` (names none).
/// nullopt for every other label.
std::optional<UnitLabel> parseUnitLabel(std::string_view label);

} // namespace commtap
