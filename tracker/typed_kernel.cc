// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tracker/collective_kernel.h"
#include "tracker/torch_compat.h"

namespace commtap {
namespace {

template <typename Return, typename... Arguments>
torch::CppFunction kernelOf(const OpFacts& facts, const c10::TypedOperatorHandle<Return(Arguments...)>& op) {
  return torch::CppFunction([facts, op](c10::DispatchKeySet keys, Arguments... arguments) -> Return {
    const std::array<Argument, sizeof...(Arguments)> seen{argumentOf(arguments)...};
    CallWatch watch(facts, keys, ArgumentList(seen.data()));
    if constexpr (std::is_same_v<Return, compat::WorkPtr>) {
      Return work = op.redispatch(keys & kBelowCollectives, std::forward<Arguments>(arguments)...);
      if (isPointToPoint(facts.kind)) {
        watch.returned(work.get());
      }
      return work;
    } else {
      return op.redispatch(keys & kBelowCollectives, std::forward<Arguments>(arguments)...);
    }
  });
}

template <typename Signature>
bool makeIf(
    const compat::TypedOp<Signature>& typed,
    const OpFacts& facts,
    const c10::OperatorHandle& op,
    std::optional<torch::CppFunction>& made) {
  if (op.operator_name().name != typed.name || !op.operator_name().overload_name.empty()) {
    return false;
  }
  made.emplace(kernelOf(facts, op.typed<Signature>()));
  return true;
}

} // namespace

std::optional<torch::CppFunction> typedKernelFor(const OpFacts& facts, const c10::OperatorHandle& op) {
  std::optional<torch::CppFunction> made;
  try {
    std::apply([&](const auto&... typed) { (makeIf(typed, facts, op, made) || ...); }, compat::kTypedOps);
  } catch (const std::exception&) { // torch calls this op with other types
    return std::nullopt;
  }
  return made;
}

} // namespace commtap
