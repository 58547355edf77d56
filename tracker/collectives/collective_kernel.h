// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "report/model/vocabulary.h"
#include "tracker/collectives/argument.h"
#include "tracker/collectives/op_table.h"
#include "tracker/core/thread_state.h"

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
  std::optional<size_t> peer_argument; ///< of sends and receives: the other's rank in the group
  size_t argument_count = 0;
  bool functional = false; ///< always asynchronous: the caller waits for the tensor later
};

OpFacts factsOf(const c10::OperatorHandle& op);

/// Counts a call, and marks the thread as inside a collective until the call is over, also when it throws. A call that
/// another collective op is making is noted with that one.
class CallWatch {
 public:
  /// `arguments`: all of the call's.
  CallWatch(const OpFacts& facts, c10::DispatchKeySet keys, const c10::IValue* arguments) {
    begin(facts, keys, arguments);
  }
  CallWatch(const OpFacts& facts, c10::DispatchKeySet keys, const Argument* arguments) {
    begin(facts, keys, arguments);
  }
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
  /// The call has not thrown.
  void returned() {
    frame_.returned = true;
  }
  /// The call is a send or receive, which has given `work` to its caller.
  void issued(const c10d::Work* work);
  ~CallWatch() {
    if (thread_ != nullptr) {
      end();
    }
  }

 private:
  template <typename AnyArgument>
  void begin(const OpFacts& facts, c10::DispatchKeySet keys, const AnyArgument* arguments);
  void end();

  ThreadState* thread_ = nullptr; ///< null unless this call set its frame
  uint32_t stands_for_ = 0;       ///< CostSample's
  OpFrame frame_;
};

/// What a call is handed on to: everything below BackendSelect.
inline constexpr c10::DispatchKeySet kBelowCollectives(
    c10::DispatchKeySet::FULL_AFTER,
    c10::DispatchKey::BackendSelect);

/// The kernel of one collective op on the dispatch key BackendSelect: counts the call, then hands it on unchanged.
///
/// BackendSelect is in every thread's include set and lies below autograd, Python and compilers, so what arrives here
/// is what really runs, on whatever thread; no collective has a kernel of its own on it.
class CollectiveKernel final : public c10::OperatorKernel {
 public:
  explicit CollectiveKernel(OpFacts facts) : facts_(facts) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;
  /// The same for an op that nobody can define anew.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;
  const OpFacts& facts() const {
    return facts_;
  }

 private:
  OpFacts facts_;
};

/// The same for an op whose C++ types are known (compat::kTypedOps): a call is handed on as it came, boxed or not,
/// where boxing or unboxing its arguments would cost more than counting it. nullopt for every other op, or if torch
/// has other types.
std::optional<c10::KernelFunction> typedKernelFor(const OpFacts& facts, const c10::OperatorHandle& op);

} // namespace commtap
