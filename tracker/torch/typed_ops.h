// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace commtap::compat {

/// An op and the C++ type under which torch registers and calls it.
template <typename Signature>
struct TypedOp {
  std::string_view name;
};

using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<std::vector<at::Tensor>>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Group = const c10::intrusive_ptr<c10d::ProcessGroup>&;
using ReduceOp = const c10::intrusive_ptr<c10d::ReduceOp>&;

/// c10d's ops, as torch/csrc/distributed/c10d/ProcessGroup.hpp calls them.
inline constexpr std::tuple kTypedOps = {
    TypedOp<std::tuple<Tensors, WorkPtr>(at::TensorList, Group, int64_t, int64_t, bool, int64_t)>{"c10d::broadcast_"},
    TypedOp<
        std::tuple<Tensors, WorkPtr>(at::TensorList, Group, ReduceOp, const std::optional<at::Tensor>&, bool, int64_t)>{
        "c10d::allreduce_"},
    TypedOp<WorkPtr(at::TensorList, Group, ReduceOp, bool, int64_t)>{"c10d::allreduce_coalesced_"},
    TypedOp<WorkPtr(at::TensorList, Group, ReduceOp, int64_t, int64_t, bool, int64_t)>{"c10d::reduce_"},
    TypedOp<std::tuple<TensorLists, WorkPtr>(const TensorLists&, at::TensorList, Group, bool, int64_t)>{
        "c10d::allgather_"},
    TypedOp<std::tuple<at::Tensor, WorkPtr>(at::Tensor&, at::Tensor&, Group, bool, int64_t)>{"c10d::_allgather_base_"},
    TypedOp<WorkPtr(const TensorLists&, const at::TensorList&, Group, bool)>{"c10d::allgather_coalesced_"},
    TypedOp<WorkPtr(at::TensorList, at::TensorList, Group, bool)>{"c10d::allgather_into_tensor_coalesced_"},
    TypedOp<WorkPtr(const TensorLists&, const at::TensorList&, Group, int64_t, bool, int64_t)>{"c10d::gather_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const TensorLists&, Group, int64_t, bool, int64_t)>{
        "c10d::scatter_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const TensorLists&, Group, ReduceOp, bool, int64_t)>{
        "c10d::reduce_scatter_"},
    TypedOp<std::tuple<at::Tensor, WorkPtr>(at::Tensor&, at::Tensor&, Group, ReduceOp, bool, int64_t)>{
        "c10d::_reduce_scatter_base_"},
    TypedOp<WorkPtr(at::TensorList, at::TensorList, Group, ReduceOp, bool, int64_t)>{
        "c10d::reduce_scatter_tensor_coalesced_"},
    TypedOp<WorkPtr(at::Tensor&, at::Tensor&, Group, std::vector<int64_t>, std::vector<int64_t>, bool, int64_t)>{
        "c10d::alltoall_base_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const at::TensorList&, Group, bool, int64_t)>{
        "c10d::alltoall_"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t, int64_t)>{"c10d::send"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t, int64_t)>{"c10d::recv_"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t)>{"c10d::recv_any_source_"},
    TypedOp<WorkPtr(at::Tensor, Group, const std::vector<int64_t>&, bool, int64_t)>{"c10d::barrier"},
};

} // namespace commtap::compat
