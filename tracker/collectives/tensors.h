// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "tracker/collectives/argument.h"

namespace commtap {

// Each function calls visit(tensor) for the tensors of an argument, also in nested lists. Stops and returns false once
// `visit` returns false.

template <typename Visit>
bool forEachTensor(at::TensorList tensors, const Visit& visit) {
  return std::all_of(tensors.begin(), tensors.end(), visit);
}

template <typename Visit>
bool forEachTensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    return visit(value.toTensor());
  }
  if (!value.isList()) {
    return true;
  }
  for (const c10::IValue& item : value.toListRef()) {
    const bool go_on = item.isTensor() ? visit(item.toTensor()) : forEachTensor(item, visit);
    if (!go_on) {
      return false;
    }
  }
  return true;
}

template <typename Visit>
bool forEachTensor(const Argument& argument, const Visit& visit) {
  switch (argument.type) {
    case Argument::Type::kTensor:
      return visit(*static_cast<const at::Tensor*>(argument.data));
    case Argument::Type::kTensors:
      return forEachTensor(
          at::TensorList(static_cast<const at::Tensor*>(argument.data), static_cast<size_t>(argument.number)), visit);
    case Argument::Type::kTensorLists: {
      const auto& lists = *static_cast<const std::vector<std::vector<at::Tensor>>*>(argument.data);
      return std::all_of(
          lists.begin(), lists.end(), [&](const auto& list) { return forEachTensor(at::TensorList(list), visit); });
    }
    default:
      return true;
  }
}

} // namespace commtap
