// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include "tests/unit/torch_doctest.h"

#include "tests/unit/tracker/collectives/op_handles.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

TEST_CASE_FIXTURE(TrackerFixture, "an op's schema shows where the facts of a row are") {
  const OpFacts all_reduce = factsOf(handleOf("c10d::allreduce_"));
  CHECK(ProcessLedger::ledger().text(all_reduce.name) == "c10d.allreduce_");
  CHECK(all_reduce.kind == Kind::kAllReduce);
  CHECK(all_reduce.known);
  CHECK_FALSE(all_reduce.functional);
  CHECK(all_reduce.payload_argument == size_t{0});
  CHECK(all_reduce.group_argument == size_t{1});
  CHECK(all_reduce.reduce_op_argument == size_t{2});
  CHECK(all_reduce.async_argument == size_t{4});
  CHECK(all_reduce.argument_count == 6);
  CHECK_FALSE(all_reduce.peer_argument);
  CHECK(factsOf(handleOf("c10d::send")).peer_argument == size_t{2});
  CHECK(factsOf(handleOf("c10d::recv_")).peer_argument == size_t{2});
  CHECK(factsOf(handleOf("c10d::broadcast_")).peer_argument == size_t{2});
  CHECK(factsOf(handleOf("c10d::reduce_")).peer_argument == size_t{3});
  CHECK(factsOf(handleOf("c10d::gather_")).peer_argument == size_t{3});
  CHECK(factsOf(handleOf("c10d::scatter_")).peer_argument == size_t{3});
  CHECK(all_reduce.sequence_hash != 0);
  CHECK(all_reduce.sequence_hash != factsOf(handleOf("c10d::reduce_")).sequence_hash);
  CHECK_FALSE(factsOf(handleOf("c10d::barrier")).payload_argument);
  CHECK(factsOf(handleOf("_c10d_functional::all_reduce")).functional);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "an op that is not in the table is of no kind, and has the bytes of its first tensor") {
  define("commtap_facts", "exchange(int rank, Tensor x, str group_name) -> Tensor");
  const OpFacts unknown = factsOf(handleOf("commtap_facts::exchange"));
  CHECK_FALSE(unknown.known);
  CHECK(unknown.kind == Kind::kOther);
  CHECK(unknown.sequence_hash == 0); // ranks may differ in it
  CHECK(unknown.payload_argument == size_t{1});
  CHECK(unknown.group_argument == size_t{2});
}

TEST_CASE_FIXTURE(TrackerFixture, "the peer is an integer, whatever its name; a tensor of the same name is not") {
  define("symm_mem", "nccl_get_out(Tensor(a!) dst, int offset, int size, int peer) -> ()");
  CHECK(factsOf(handleOf("symm_mem::nccl_put_signal")).peer_argument == size_t{2});
  CHECK(factsOf(handleOf("symm_mem::nccl_put_signal")).payload_argument == size_t{0});
  CHECK(factsOf(handleOf("symm_mem::nccl_get")).peer_argument == size_t{1});
  CHECK(factsOf(handleOf("symm_mem::nccl_put")).peer_argument == size_t{1});
  CHECK(factsOf(handleOf("symm_mem::nvshmem_put_with_signal")).peer_argument == size_t{3});
  const OpFacts get_out = factsOf(handleOf("symm_mem::nccl_get_out"));
  CHECK(get_out.payload_argument == size_t{0});
  CHECK(get_out.peer_argument.has_value());
  CHECK(get_out.peer_argument != size_t{0});
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "an op of the table is unknown if its payload has another name; its first tensor counts") {
  define("moonep", "dispatch(Tensor first, Tensor x) -> Tensor");
  const OpFacts known = factsOf(handleOf("moonep::dispatch"));
  CHECK(known.known);
  CHECK(known.is_of_library);
  CHECK(known.payload_argument == size_t{1});
  define("moonep", "combine(int rank, Tensor renamed) -> Tensor");
  const OpFacts renamed = factsOf(handleOf("moonep::combine"));
  CHECK_FALSE(renamed.known);
  CHECK(renamed.kind == Kind::kAllToAll);
  CHECK(renamed.payload_argument == size_t{1});
}

} // namespace
} // namespace commtap
