// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tracker/collectives/collective_kernel.h"
#include "tracker/torch/typed_ops.h"

namespace commtap {
namespace {

template <typename Signature>
class TypedKernel;

template <typename Return, typename... Arguments>
class TypedKernel<Return(Arguments...)> final : public c10::OperatorKernel {
 public:
  TypedKernel(const OpFacts& facts, const c10::OperatorHandle& op)
      : op_(op.typed<Return(Arguments...)>()), boxed_(facts) {}

  Return operator()(c10::DispatchKeySet keys, Arguments... arguments) {
    const std::array<Argument, sizeof...(Arguments)> seen{argumentOf(arguments)...};
    CallWatch watch(boxed_.facts(), keys, seen.data());
    Return result = op_.redispatch(keys & kBelowCollectives, std::forward<Arguments>(arguments)...);
    watch.returned();
    if constexpr (std::is_same_v<Return, compat::WorkPtr>) {
      if (isPointToPoint(boxed_.facts().kind)) {
        watch.issued(result.get());
      }
    }
    return result;
  }

  const CollectiveKernel& boxed() const {
    return boxed_;
  }

 private:
  c10::TypedOperatorHandle<Return(Arguments...)> op_;
  CollectiveKernel boxed_;
};

} // namespace
} // namespace commtap

/// Redispatches a boxed call boxed. Torch would unbox the arguments and box the results.
template <typename Return, typename... Arguments, bool kLegacyTypes>
struct c10::impl::make_boxed_from_unboxed_functor<commtap::TypedKernel<Return(Arguments...)>, kLegacyTypes> {
  static void
  call(c10::OperatorKernel* kernel, const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    static_cast<commtap::TypedKernel<Return(Arguments...)>*>(kernel)->boxed().call(op, keys, stack);
  }
};

namespace commtap {
namespace {

template <typename Signature>
bool makeIf(
    const compat::TypedOp<Signature>& typed,
    const OpFacts& facts,
    const c10::OperatorHandle& op,
    std::optional<c10::KernelFunction>& made) {
  if (op.operator_name().name != typed.name || !op.operator_name().overload_name.empty()) {
    return false;
  }
  made = c10::KernelFunction::makeFromUnboxedFunctor</*AllowLegacyTypes=*/false, TypedKernel<Signature>>(
      std::make_unique<TypedKernel<Signature>>(facts, op));
  return true;
}

} // namespace

std::optional<c10::KernelFunction> typedKernelFor(const OpFacts& facts, const c10::OperatorHandle& op) {
  std::optional<c10::KernelFunction> made;
  try {
    std::apply([&](const auto&... typed) { (makeIf(typed, facts, op, made) || ...); }, compat::kTypedOps);
  } catch (const std::exception&) { // torch calls this op with other types
    return std::nullopt;
  }
  return made;
}

} // namespace commtap
