// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/op_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>

namespace commtap {
namespace {

using enum Kind;
using enum PayloadRule;

// torch's ops, in the order of their names; docs/ops.md is made from this list and from library_ops.txt. gather and
// scatter: only the root holds all parts, so S is computed from this rank's part. An op with an explicit output (…_out)
// has the same input as the op without. Expert-parallel dispatch and combine are all_to_alls of the rows that this rank
// sends.
constexpr OpSpec kTable[] = {
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

    {"symm_mem::_barrier", kBarrier, kNone, ""},
    {"symm_mem::_low_contention_all_gather", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_all_gather_ce_multicast", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out", kAllGather, kArgumentTimesGroup, "tensor"},
    {"symm_mem::_low_contention_all_reduce", kAllReduce, kArgument, "tensor"},
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
    {"symm_mem::nccl_all_gather_offset", kAllGather, kArgumentTimesGroup, "input"},
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

};

constexpr bool isSorted() {
  return std::is_sorted(std::begin(kTable), std::end(kTable), [](const OpSpec& one, const OpSpec& other) {
    return one.name < other.name;
  });
}
static_assert(isSorted(), "findIn() searches by halves");

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

constexpr std::string_view kLibraryText =
#include "tracker/collectives/library_ops.txt"
    ;

bool isBefore(const OpSpec& one, const OpSpec& other) {
  return one.name < other.name;
}

// Leaked on purpose: threads may look ops up until the process exits.
const std::vector<OpSpec>& libraryOps() {
  static const auto* const kOps = [] {
    auto* ops = new std::vector<OpSpec>();
    forEachOpLine(kLibraryText, [ops](std::string_view line) { ops->push_back(parseOpLine(line).op); });
    std::sort(ops->begin(), ops->end(), isBefore);
    return ops;
  }();
  return *kOps;
}

/// The lines of COMMTAP_OPS. `ops` refers to `lines`.
struct UserOps {
  std::vector<std::string> lines;
  std::vector<OpSpec> ops;
};
std::atomic<const UserOps*> user_ops{nullptr}; // the former ones are leaked: another thread may read them

template <typename Ops>
const OpSpec* findIn(const Ops& ops, std::string_view name) {
  const auto found =
      std::lower_bound(std::begin(ops), std::end(ops), name, [](const OpSpec& spec, std::string_view wanted) {
        return spec.name < wanted;
      });
  return found == std::end(ops) || found->name != name ? nullptr : &*found;
}

/// Returns the first line of COMMTAP_OPS that names the op.
const OpSpec* findUserOp(std::string_view name) {
  const UserOps* const user = user_ops.load(std::memory_order_acquire);
  if (user == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(
      user->ops.begin(), user->ops.end(), [name](const OpSpec& op) { return matchesOpPattern(name, op.name); });
  return found == user->ops.end() ? nullptr : &*found;
}

} // namespace

const OpSpec* findOpSpec(std::string_view name) {
  if (const OpSpec* const of_torch = findIn(kTable, name)) {
    return of_torch;
  }
  const OpSpec* const of_user = findUserOp(name);
  return of_user != nullptr && of_user->kind != kOther ? of_user : findIn(libraryOps(), name);
}

std::vector<OpSpec> knownOps() {
  std::vector<OpSpec> all(std::begin(kTable), std::end(kTable));
  all.insert(all.end(), libraryOps().begin(), libraryOps().end());
  std::sort(all.begin(), all.end(), isBefore);
  return all;
}

void setUserOps(const std::vector<std::string>& lines) {
  auto* const user = new UserOps{lines, {}};
  for (const std::string& line : user->lines) {
    if (const ParsedOp parsed = parseOpLine(line); parsed.fault.empty()) {
      user->ops.push_back(parsed.op);
    }
  }
  user_ops.store(user, std::memory_order_release);
}

bool isUserOp(std::string_view name) {
  return findUserOp(name) != nullptr;
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
