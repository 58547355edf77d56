// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/op_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace commtap {
namespace {

using enum Kind;
using enum PayloadRule;

// The one list of ops, in the order of their names; docs/ops.md is made from it. gather and scatter: only the root
// holds all parts, so S is computed from this rank's part. An op with an explicit output (…_out) has the same input as
// the op without. Expert-parallel dispatch and combine are all_to_alls of the rows that this rank sends.
constexpr OpSpec kTable[] = {
    {"_C_custom_ar::all_reduce", kAllReduce, kArgument, "inp"},
    {"_C_custom_ar::qr_all_reduce", kAllReduce, kArgument, "inp"},

    {"_c10d_functional::all_gather_into_tensor", kAllGather, kArgumentTimesGroup, "input"},
    {"_c10d_functional::all_gather_into_tensor_coalesced", kAllGather, kArgumentTimesGroup, "inputs"},
    {"_c10d_functional::all_gather_into_tensor_out", kAllGather, kArgumentTimesGroup, "input"},
    {"_c10d_functional::all_reduce", kAllReduce, kArgument, "input"},
    {"_c10d_functional::all_reduce_", kAllReduce, kArgument, "input"},
    {"_c10d_functional::all_reduce_coalesced", kAllReduce, kArgument, "inputs"},
    {"_c10d_functional::all_reduce_coalesced_", kAllReduce, kArgument, "inputs"},
    {"_c10d_functional::all_to_all_single", kAllToAll, kArgument, "input"},
    {"_c10d_functional::broadcast", kBroadcast, kArgument, "input"},
    {"_c10d_functional::broadcast_", kBroadcast, kArgument, "input"},
    {"_c10d_functional::irecv", kRecv, kArgument, "tensor"},
    {"_c10d_functional::isend", kSend, kArgument, "tensor"},
    {"_c10d_functional::reduce_scatter_tensor", kReduceScatter, kArgument, "input"},
    {"_c10d_functional::reduce_scatter_tensor_coalesced", kReduceScatter, kArgument, "inputs"},
    {"_c10d_functional::reduce_scatter_tensor_out", kReduceScatter, kArgument, "input"},

    {"_dtensor::shard_dim_alltoall", kAllToAll, kArgument, "input"},

    {"c10d::_allgather_base_", kAllGather, kArgument, "output_tensor"},
    {"c10d::_reduce_scatter_base_", kReduceScatter, kArgument, "input_tensor"},
    {"c10d::allgather_", kAllGather, kArgument, "output_tensors"},
    {"c10d::allgather_coalesced_", kAllGather, kArgument, "output_lists"},
    {"c10d::allgather_into_tensor_coalesced_", kAllGather, kArgument, "outputs"},
    {"c10d::allreduce_", kAllReduce, kArgument, "tensors"},
    {"c10d::allreduce_coalesced_", kAllReduce, kArgument, "tensors"},
    {"c10d::alltoall_", kAllToAll, kArgument, "input_tensors"},
    {"c10d::alltoall_base_", kAllToAll, kArgument, "input"},
    {"c10d::barrier", kBarrier, kNone, ""},
    {"c10d::broadcast_", kBroadcast, kArgument, "tensors"},
    {"c10d::gather_", kGather, kArgumentTimesGroup, "input_tensors"},
    {"c10d::gather_into_tensor_", kGather, kArgumentTimesGroup, "input_tensor"},
    {"c10d::monitored_barrier_", kBarrier, kNone, ""},
    {"c10d::recv_", kRecv, kArgument, "tensors"},
    {"c10d::recv_any_source_", kRecv, kArgument, "tensors"},
    {"c10d::reduce_", kReduce, kArgument, "tensors"},
    {"c10d::reduce_scatter_", kReduceScatter, kArgument, "input_tensors"},
    {"c10d::reduce_scatter_tensor_coalesced_", kReduceScatter, kArgument, "inputs"},
    {"c10d::scatter_", kScatter, kArgumentTimesGroup, "output_tensors"},
    {"c10d::send", kSend, kArgument, "tensors"},

    {"deepep::combine", kAllToAll, kArgument, "x"},
    {"deepep::combine_backward", kAllToAll, kArgument, ""},
    {"deepep::dispatch", kAllToAll, kArgument, "x"},
    {"deepep::dispatch_backward", kAllToAll, kArgument, ""},

    {"hybridep::combine", kAllToAll, kArgument, "x"},
    {"hybridep::combine_bwd", kAllToAll, kArgument, ""},
    {"hybridep::dispatch", kAllToAll, kArgument, "x"},
    {"hybridep::dispatch_bwd", kAllToAll, kArgument, ""},

    {"minimal_async_ep::combine", kAllToAll, kArgument, "x"},
    {"minimal_async_ep::combine_backward", kAllToAll, kArgument, ""},
    {"minimal_async_ep::dispatch", kAllToAll, kArgument, "dispatch_input"},
    {"minimal_async_ep::dispatch_backward", kAllToAll, kArgument, ""},

    {"moonep::combine", kAllToAll, kArgument, "x"},
    {"moonep::dispatch", kAllToAll, kArgument, "x"},

    {"sgl_kernel::all_reduce", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::all_reduce_reg", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::all_reduce_unreg", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::deterministic_all_reduce_reg", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::deterministic_all_reduce_unreg", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::mscclpp_allreduce", kAllReduce, kArgument, "inp"},
    {"sgl_kernel::qr_all_reduce", kAllReduce, kArgument, "inp"},

    {"sglang::_all_gather_direct_op", kAllGather, kArgument, "output"},
    {"sglang::_all_gather_op", kAllGather, kArgument, "output"},
    {"sglang::_all_reduce_residual_norm_op", kAllReduce, kArgument, "input"},
    {"sglang::_moe_finalize_all_reduce_mhc_post_combine_norm_op", kAllReduce, kArgument, "out"},
    {"sglang::_moe_finalize_all_reduce_mhc_post_combine_norm_quant_op", kAllReduce, kArgument, "out"},
    {"sglang::_moe_finalize_all_reduce_mhc_post_op", kAllReduce, kArgument, "out"},
    {"sglang::_moe_finalize_all_reduce_op", kAllReduce, kArgument, "out"},
    {"sglang::_moe_finalize_all_reduce_residual_norm_op", kAllReduce, kArgument, "out"},
    {"sglang::_reduce_scatter_pull_op", kReduceScatter, kArgument, "input"},
    {"sglang::_reduce_scatter_res_op", kReduceScatter, kArgument, "input"},
    {"sglang::broadcast_indexer_topk_from_rank0_", kBroadcast, kArgument, "topk_indices"},
    {"sglang::diffusion_all_reduce", kAllReduce, kArgument, "tensor"},
    {"sglang::flashinfer_allreduce", kAllReduce, kArgument, "tensor"},
    {"sglang::flashinfer_allreduce_residual_rmsnorm", kAllReduce, kArgument, "input_tensor"},
    {"sglang::inplace_all_reduce", kAllReduce, kArgument, "tensor"},
    {"sglang::outplace_all_reduce", kAllReduce, kArgument, "tensor"},
    {"sglang::reg_all_gather_into_tensor", kAllGather, kArgument, "output"},
    {"sglang::reg_all_to_all_single", kAllToAll, kArgument, "input"},
    {"sglang::reg_reduce_scatter_tensor", kReduceScatter, kArgument, "input"},

    {"symm_mem::_barrier", kBarrier, kNone, ""},
    {"symm_mem::_low_contention_all_gather", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_all_gather_ce_multicast", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_reduce_scatter", kReduceScatter, kArgument, "tensor"},
    {"symm_mem::all_to_all_vdev", kAllToAll, kArgument, "input"},
    {"symm_mem::all_to_all_vdev_2d", kAllToAll, kArgument, "input"},
    {"symm_mem::all_to_all_vdev_2d_offset", kAllToAll, kArgument, "input"},
    {"symm_mem::fused_all_gather_matmul", kAllGather, kArgumentTimesGroup, "A"},
    {"symm_mem::fused_all_gather_scaled_matmul", kAllGather, kArgumentTimesGroup, "A"},
    {"symm_mem::fused_matmul_reduce_scatter", kReduceScatter, kMatrixProduct, "A"},
    {"symm_mem::fused_scaled_matmul_reduce_scatter", kReduceScatter, kMatrixProduct, "A"},
    {"symm_mem::memcpy_to_multicast_", kBroadcast, kArgument, "src"},
    {"symm_mem::multi_root_tile_reduce", kReduce, kArgument, "in_tiles"},
    {"symm_mem::multimem_all_gather_out", kAllGather, kArgumentTimesGroup, "input"},
    {"symm_mem::multimem_all_reduce_", kAllReduce, kArgument, "input"},
    {"symm_mem::multimem_one_shot_all_reduce", kAllReduce, kArgument, "input"},
    {"symm_mem::multimem_one_shot_all_reduce_out", kAllReduce, kArgument, "input"},
    {"symm_mem::multimem_one_shot_reduce_out", kReduce, kArgument, "input"},
    {"symm_mem::nccl_all_to_all_nd", kAllToAll, kArgument, "input"},
    {"symm_mem::nccl_get", kRecv, kArgument, "tensor"},
    {"symm_mem::nccl_get_out", kRecv, kArgument, "dst"},
    {"symm_mem::nccl_put", kSend, kArgument, "tensor"},
    {"symm_mem::nccl_put_signal", kSend, kArgument, "src"},
    {"symm_mem::nccl_put_with_signal", kSend, kArgument, "tensor"},
    {"symm_mem::nccl_reduce_scatter_offset", kReduceScatter, kArgument, "input"},
    {"symm_mem::nvshmem_all_to_all", kAllToAll, kArgument, "input"},
    {"symm_mem::nvshmem_broadcast", kBroadcast, kArgument, "input"},
    {"symm_mem::nvshmem_get", kRecv, kArgument, "tensor"},
    {"symm_mem::nvshmem_get_out", kRecv, kArgument, "dst"},
    {"symm_mem::nvshmem_put", kSend, kArgument, "tensor"},
    {"symm_mem::nvshmem_put_with_signal", kSend, kArgument, "tensor"},
    {"symm_mem::one_shot_all_reduce", kAllReduce, kArgument, "input"},
    {"symm_mem::one_shot_all_reduce_copy", kAllReduce, kArgument, "local_input"},
    {"symm_mem::one_shot_all_reduce_copy_out", kAllReduce, kArgument, "local_input"},
    {"symm_mem::one_shot_all_reduce_out", kAllReduce, kArgument, "input"},
    {"symm_mem::reduce_scatter_out", kReduceScatter, kArgument, "input"},
    {"symm_mem::tile_reduce", kReduce, kArgument, "in_tile"},
    {"symm_mem::two_shot_all_reduce_", kAllReduce, kArgument, "input"},
    {"symm_mem::two_shot_all_reduce_out", kAllReduce, kArgument, "input"},

    {"torchcomms::batchsendrecv_recv", kRecv, kArgument, "tensor"},
    {"torchcomms::batchsendrecv_recv_", kRecv, kArgument, "tensor"},
    {"torchcomms::batchsendrecv_send", kSend, kArgument, "tensor"},
    {"torchcomms::torchcomm_all_gather", kAllGather, kArgument, "tensor_list"},
    {"torchcomms::torchcomm_all_gather_", kAllGather, kArgument, "tensor_list"},
    {"torchcomms::torchcomm_all_gather_single", kAllGather, kArgument, "output"},
    {"torchcomms::torchcomm_all_gather_single_", kAllGather, kArgument, "output"},
    {"torchcomms::torchcomm_all_gather_v", kAllGather, kArgument, "tensor_list"},
    {"torchcomms::torchcomm_all_gather_v_", kAllGather, kArgument, "tensor_list"},
    {"torchcomms::torchcomm_all_reduce", kAllReduce, kArgument, "tensor"},
    {"torchcomms::torchcomm_all_reduce_", kAllReduce, kArgument, "tensor"},
    {"torchcomms::torchcomm_all_to_all", kAllToAll, kArgument, "input_tensor_list"},
    {"torchcomms::torchcomm_all_to_all_", kAllToAll, kArgument, "input_tensor_list"},
    {"torchcomms::torchcomm_all_to_all_single", kAllToAll, kArgument, "input"},
    {"torchcomms::torchcomm_all_to_all_single_", kAllToAll, kArgument, "input"},
    {"torchcomms::torchcomm_all_to_all_v_single", kAllToAll, kArgument, "input"},
    {"torchcomms::torchcomm_all_to_all_v_single_", kAllToAll, kArgument, "input"},
    {"torchcomms::torchcomm_barrier", kBarrier, kNone, ""},
    {"torchcomms::torchcomm_broadcast", kBroadcast, kArgument, "tensor"},
    {"torchcomms::torchcomm_broadcast_", kBroadcast, kArgument, "tensor"},
    {"torchcomms::torchcomm_gather", kGather, kArgumentTimesGroup, "input_tensor"},
    {"torchcomms::torchcomm_gather_", kGather, kArgumentTimesGroup, "input_tensor"},
    {"torchcomms::torchcomm_recv", kRecv, kArgument, "tensor"},
    {"torchcomms::torchcomm_recv_", kRecv, kArgument, "tensor"},
    {"torchcomms::torchcomm_reduce", kReduce, kArgument, "tensor"},
    {"torchcomms::torchcomm_reduce_", kReduce, kArgument, "tensor"},
    {"torchcomms::torchcomm_reduce_scatter", kReduceScatter, kArgument, "input_list"},
    {"torchcomms::torchcomm_reduce_scatter_", kReduceScatter, kArgument, "input_list"},
    {"torchcomms::torchcomm_reduce_scatter_single", kReduceScatter, kArgument, "input"},
    {"torchcomms::torchcomm_reduce_scatter_single_", kReduceScatter, kArgument, "input"},
    {"torchcomms::torchcomm_reduce_scatter_v", kReduceScatter, kArgument, "input_list"},
    {"torchcomms::torchcomm_reduce_scatter_v_", kReduceScatter, kArgument, "input_list"},
    {"torchcomms::torchcomm_scatter", kScatter, kArgumentTimesGroup, "output_tensor"},
    {"torchcomms::torchcomm_scatter_", kScatter, kArgumentTimesGroup, "output_tensor"},
    {"torchcomms::torchcomm_send", kSend, kArgument, "tensor"},
    {"torchcomms::torchcommwindow_put", kSend, kArgument, "tensor"},

    {"vllm::all_gather", kAllGather, kArgumentTimesGroup, "tensor"},
    {"vllm::all_reduce", kAllReduce, kArgument, "tensor"},
    {"vllm::all_reduce_symmetric_with_copy", kAllReduce, kArgument, "input_tensor"},
    {"vllm::flashinfer_trtllm_fused_allreduce_norm", kAllReduce, kArgument, "allreduce_in"},
    {"vllm::patched_fused_scaled_matmul_reduce_scatter", kReduceScatter, kMatrixProduct, "A"},
    {"vllm::reduce_scatter", kReduceScatter, kArgument, "tensor"},
    {"vllm::rocm_aiter_fused_allreduce_rmsnorm", kAllReduce, kArgument, "input_"},
    {"vllm::rocm_aiter_fused_allreduce_rmsnorm_quant_per_group", kAllReduce, kArgument, "input_"},
    {"vllm::rocm_aiter_fused_allreduce_rmsnorm_quant_per_group_with_bf16_norm", kAllReduce, kArgument, "input_"},
};

constexpr bool isSorted() {
  return std::is_sorted(std::begin(kTable), std::end(kTable), [](const OpSpec& one, const OpSpec& other) {
    return one.name < other.name;
  });
}
static_assert(isSorted(), "findOpSpec() searches by halves");

// Does not include the legacy namespace c10d_functional: its ops are composites of ops of _c10d_functional.
constexpr std::array<std::string_view, 4> kNamespaces = {
    "c10d::",
    "_c10d_functional::",
    "symm_mem::",
    "_dtensor::shard_dim_alltoall",
};

// batch_p2p_ops only calls sends and receives, and these are counted by their own kinds.
constexpr std::array<std::string_view, 13> kNoCollectives = {
    "c10d::check_for_nan",
    "_c10d_functional::_wrap_tensor_autograd",
    "_c10d_functional::batch_p2p_ops",
    "_c10d_functional::wait_tensor",
    "_c10d_functional::wait_tensors",
    "symm_mem::_async_input_mm",
    "symm_mem::_rendezvous",
    "symm_mem::memset32_",
    "symm_mem::nccl_wait_for_signal",
    "symm_mem::nccl_wait_signal",
    "symm_mem::nvshmem_wait_for_signal",
    "symm_mem::stream_write_value32_",
    "symm_mem::get_remote_tensors",
};

} // namespace

const OpSpec* findOpSpec(std::string_view name) {
  const auto* found =
      std::lower_bound(std::begin(kTable), std::end(kTable), name, [](const OpSpec& spec, std::string_view wanted) {
        return spec.name < wanted;
      });
  return found == std::end(kTable) || found->name != name ? nullptr : found;
}

const OpSpec* firstOpSpec() {
  return std::begin(kTable);
}

const OpSpec* endOfOpSpecs() {
  return std::end(kTable);
}

bool isCollectiveNamespace(std::string_view name) {
  return std::any_of(kNamespaces.begin(), kNamespaces.end(), [&](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  });
}

bool isNoCollective(std::string_view name) {
  return std::find(kNoCollectives.begin(), kNoCollectives.end(), name) != kNoCollectives.end();
}

std::string dottedName(std::string_view name) {
  const size_t colons = name.find("::");
  if (colons == std::string_view::npos) {
    return std::string(name);
  }
  std::string dotted(name.substr(0, colons));
  dotted += '.';
  return dotted += name.substr(colons + 2);
}

bool matchesOpPattern(std::string_view name, std::string_view pattern) {
  if (!pattern.empty() && pattern.back() == '*') {
    pattern.remove_suffix(1);
    return name.substr(0, pattern.size()) == pattern;
  }
  return name == pattern;
}

} // namespace commtap
