// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "report/vocabulary.h"
#include "tracker/op_table.h"
#include "tracker/thread_state.h"

namespace commtap {

/// What is known of an op before it is called: where its schema keeps what a row needs.
struct OpFacts {
  Kind kind = Kind::kOther;
  PayloadRule payload = PayloadRule::kNone;
  bool known = false; ///< in the op table
  StringId name = 0;  ///< "c10d.allreduce_"
  std::optional<size_t> payload_argument;
  std::optional<size_t> input_argument; ///< what this rank sends
  std::optional<size_t> group_argument;
  std::optional<size_t> reduce_op_argument;
  std::optional<size_t> async_argument;
  size_t argument_count = 0;
  bool functional = false; ///< always asynchronous: the caller waits for the tensor later
};

OpFacts factsOf(const c10::OperatorHandle& op);

/// The kernel of one collective op on the dispatch key BackendSelect: counts the call, then hands it on unchanged.
///
/// BackendSelect is in every thread's include set and lies below autograd, Python and compilers, so what arrives here
/// is what really runs, on whatever thread; no collective has a kernel of its own on it.
class CollectiveKernel final : public c10::OperatorKernel {
 public:
  explicit CollectiveKernel(OpFacts facts) : facts_(facts) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  OpFacts facts_;
};

} // namespace commtap
