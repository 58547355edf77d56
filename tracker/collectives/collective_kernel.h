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
#include "tracker/collectives/splits.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Facts of an op from its schema: the positions of the arguments that a row needs.
struct OpFacts {
  Kind kind = Kind::kOther;
  PayloadRule payload = PayloadRule::kNone;
  bool known = false; ///< true if the op is in the op table
  StringId name = 0;  ///< "c10d.allreduce_"
  std::optional<size_t> payload_argument;
  std::optional<size_t> input_argument;  ///< the data that this rank sends
  std::optional<size_t> output_argument; ///< the memory that this rank receives into
  std::optional<size_t> group_argument;
  std::optional<size_t> reduce_op_argument;
  std::optional<size_t> async_argument;
  /// The argument with the group rank of the peer, or of the root.
  std::optional<size_t> peer_argument;
  uint64_t sequence_hash = 0; ///< SequenceCall::what
  size_t argument_count = 0;
  bool functional = false;               ///< always asynchronous: the caller waits for the tensor later
  bool is_of_library = false;            ///< group names are not those of c10d
  std::optional<size_t> ranks_argument;  ///< the group's size, for a group that cannot be found
  std::optional<size_t> factor_argument; ///< PayloadRule::kMatrixProduct: the second matrix
  std::optional<size_t> dtype_argument;  ///< PayloadRule::kMatrixProduct: the product's dtype, which may be None
  SplitFacts splits;
};

OpFacts factsOf(const c10::OperatorHandle& op);

/// Sets whether calls on meta tensors count. In a job a compiler makes them. In a plan they are what a fake tensor's
/// call becomes below its Python key, and no compiler runs.
void countMetaTensors(bool count);

/// Counts a call, and marks the thread as inside a collective until the call has returned or thrown. If another
/// collective op makes the call, notes it with that op instead.
class CallWatch {
 public:
  /// `arguments` points to all arguments of the call.
  CallWatch(const OpFacts& facts, c10::DispatchKeySet keys, const c10::IValue* arguments) {
    begin(facts, keys, arguments);
  }
  CallWatch(const OpFacts& facts, c10::DispatchKeySet keys, const Argument* arguments) {
    begin(facts, keys, arguments);
  }
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
  /// Notes that the call returned without an exception.
  void returned() {
    frame_.returned = true;
  }
  /// Notes that the call, a send or receive, returned `work` to its caller.
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
  uint32_t stands_for_ = 0;       ///< weight of the call in CostSample
  OpFrame frame_;
};

/// The keys to which a call is redispatched: everything below BackendSelect.
inline constexpr c10::DispatchKeySet kBelowCollectives(
    c10::DispatchKeySet::FULL_AFTER,
    c10::DispatchKey::BackendSelect);

/// The kernel of one collective op on the dispatch key BackendSelect: counts the call, then redispatches it unchanged.
///
/// BackendSelect is in every thread's include set and lies below autograd, Python and compilers, so a call that arrives
/// here really runs. No collective of torch has a kernel of its own on this key.
class CollectiveKernel final : public c10::OperatorKernel {
 public:
  explicit CollectiveKernel(OpFacts facts) : facts_(facts) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;
  /// Counts and redispatches a call of an op that cannot be redefined.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;
  const OpFacts& facts() const {
    return facts_;
  }

 private:
  OpFacts facts_;
};

/// Returns a kernel like CollectiveKernel for an op whose C++ types are known (compat::kTypedOps). It redispatches a
/// call as it came, boxed or not: boxing or unboxing the arguments would cost more than counting. Returns nullopt for
/// every other op, or if torch calls the op with other types.
std::optional<c10::KernelFunction> typedKernelFor(const OpFacts& facts, const c10::OperatorHandle& op);

} // namespace commtap
