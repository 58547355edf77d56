// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>

namespace commtap {

/// An argument of an op that is called by its C++ types. Refers to the argument without a copy, so it is valid during
/// the call only. (An argument of a boxed call is a c10::IValue.)
struct Argument {
  enum class Type : uint8_t {
    kOther,
    kTensor,      ///< const at::Tensor
    kTensors,     ///< an array of `number` const at::Tensor
    kTensorLists, ///< const std::vector<std::vector<at::Tensor>>
    kGroup,       ///< const c10d::ProcessGroup
    kReduceOp,    ///< const c10d::ReduceOp
    kBool,        ///< the value is `number`
    kInteger,     ///< the value is `number`
    kIntegers,    ///< an array of `number` const int64_t
  };
  Type type = Type::kOther;
  const void* data = nullptr;
  int64_t number = 0;
};

inline Argument argumentOf(const at::Tensor& tensor) {
  return {Argument::Type::kTensor, &tensor};
}
inline Argument argumentOf(at::TensorList tensors) {
  return {Argument::Type::kTensors, tensors.data(), static_cast<int64_t>(tensors.size())};
}
inline Argument argumentOf(const std::vector<std::vector<at::Tensor>>& lists) {
  return {Argument::Type::kTensorLists, &lists};
}
inline Argument argumentOf(const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  return {Argument::Type::kGroup, group.get()};
}
inline Argument argumentOf(const c10::intrusive_ptr<c10d::ReduceOp>& reduce_op) {
  return {Argument::Type::kReduceOp, reduce_op.get()};
}
inline Argument argumentOf(bool value) {
  return {Argument::Type::kBool, nullptr, value ? 1 : 0};
}
inline Argument argumentOf(int64_t value) {
  return {Argument::Type::kInteger, nullptr, value};
}
inline Argument argumentOf(const std::vector<int64_t>& values) {
  return {Argument::Type::kIntegers, values.data(), static_cast<int64_t>(values.size())};
}
/// For arguments that no row needs, such as an optional tensor.
template <typename Other>
Argument argumentOf(const Other&) {
  return {};
}

} // namespace commtap
