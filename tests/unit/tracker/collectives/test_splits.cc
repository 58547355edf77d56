// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/splits.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/fake_group.h"
#include "tests/unit/tracker/collectives/op_handles.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/collective_kernel.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

using Sizes = std::vector<int64_t>;

const c10::DispatchKeySet kCpu = c10::DispatchKeySet(c10::DispatchKey::CPU).add(c10::DispatchKey::BackendSelect);

at::Tensor floats(int64_t count) {
  return at::ones({count}, at::kFloat);
}

c10::List<at::Tensor> listOf(const Sizes& sizes) {
  c10::List<at::Tensor> list;
  for (const int64_t size : sizes) {
    list.push_back(floats(size));
  }
  return list;
}

struct SplitFixture : TrackerFixture {
  /// Counts a call of alltoall_base_ in a group of three, and returns the splits of its row.
  Splits exchange(const std::string& name, const c10::IValue& received, const c10::IValue& sent, int64_t tokens = 9) {
    const torch::jit::Stack stack{
        floats(tokens), floats(tokens), makeGroup(name, name, 3), received, sent, false, int64_t{-1}};
    { const CallWatch watch(factsOf(handleOf("c10d::alltoall_base_")), kCpu, stack.data()); }
    return splitsOf(name);
  }
  /// Counts a call of an op with two lists of tensors.
  Splits lists(const std::string& name, const char* op, torch::jit::Stack stack) {
    stack.insert(stack.begin() + 2, makeGroup(name, name, 3));
    stack.resize(factsOf(handleOf(op)).argument_count);
    stack.at(stack.size() - 2) = false;
    { const CallWatch watch(factsOf(handleOf(op)), kCpu, stack.data()); }
    return splitsOf(name);
  }
  /// Returns the splits of a group's row. Its peers are ranks in the group: a group that has only one process has no
  /// global ranks.
  Splits splitsOf(const std::string& group) const {
    Splits found;
    const Report read = report();
    for (const Collective& row : read.collectives) {
      found += row.group == group ? row.splits : Splits();
    }
    LedgerWriter& ledger = ProcessLedger::ledger();
    const uint64_t used = ledger.header().sections[kSplits].used.load() & 0xffffffffU;
    for (uint64_t i = 0; i < used; ++i) {
      const LedgerSplits& splits = ledger.records<kSplits>()[i];
      if (read.groups.at(ledger.records<kCollectives>()[splits.key.row].key.group).name == group) {
        for (uint32_t peer = 0; peer < splits.key.peers; ++peer) {
          found.peers[peer] += ledger.peersOf(splits)[peer].bytes;
        }
      }
    }
    found.findExtremes();
    return found;
  }
};

TEST_CASE_FIXTURE(SplitFixture, "the larger imbalance of what is sent and received counts; bytes are of what is sent") {
  const Splits sent = exchange("s-sent", Sizes{3, 3, 3}, Sizes{6, 0, 3});
  CHECK(sent.calls == 1);
  CHECK(sent.imbalance == Imbalance{2, 2});
  CHECK(sent.zero_peers == 1);
  CHECK(sent.peers == PeerBytes{{0, 24}, {1, 0}, {2, 12}});
  CHECK(sent.hottest_peer == 0);
  CHECK(sent.coldest_peer == 1);
  const Splits received = exchange("s-received", Sizes{0, 9, 0}, Sizes{3, 3, 3});
  CHECK(received.imbalance == Imbalance{3, 3});
  CHECK(received.zero_peers == 0);
  CHECK(sent.received_more == 0);
  CHECK(exchange("s-more", Sizes{9, 9, 0}, Sizes{3, 3, 3}).received_more == 9 * 4);
  CHECK_FALSE(received.hottest_peer);
}

TEST_CASE_FIXTURE(SplitFixture, "a call without sizes is not split; if one direction has none, its parts are equal") {
  CHECK(exchange("s-none", Sizes{}, Sizes{}).calls == 0);
  const Splits one = exchange("s-one", Sizes{1, 2, 6}, Sizes{});
  CHECK(one.imbalance == Imbalance{2, 2});
  CHECK(one.peers == PeerBytes{{0, 12}, {1, 12}, {2, 12}});
  const Splits nothing = exchange("s-nothing", Sizes{0, 0, 0}, Sizes{0, 0, 0}, 0);
  CHECK(nothing.imbalance == Imbalance{1, 1});
  CHECK(nothing.zero_peers == 3);
}

TEST_CASE_FIXTURE(SplitFixture, "symbolic, negative and too many sizes are left out, and are no error") {
  const uint64_t errors = notSeen("internal_error");
  c10::List<c10::IValue> symbolic(c10::AnyType::get());
  symbolic.push_back(int64_t{1});
  symbolic.push_back(2.0); // no plain integer
  symbolic.push_back(int64_t{6});
  CHECK(exchange("s-symbolic", Sizes{3, 3, 3}, symbolic).calls == 0);
  CHECK(exchange("s-negative", Sizes{3, 3, 3}, Sizes{3, -3, 9}).calls == 0);
  CHECK(exchange("s-many", Sizes{3, 3, 3}, Sizes{3, 3, 2, 1}).calls == 0);
  CHECK(notSeen("internal_error") == errors);
}

TEST_CASE_FIXTURE(SplitFixture, "lists of an all_to_all are its sizes, those of other kinds if they are uneven") {
  const Splits exchanged = lists("s-lists", "c10d::alltoall_", {listOf({1, 1, 1}), listOf({1, 1, 4})});
  CHECK(exchanged.imbalance == Imbalance{2, 2});
  CHECK(exchanged.peers == PeerBytes{{0, 4}, {1, 4}, {2, 16}});
  CHECK(exchanged.received_more == 0);
  CHECK(lists("s-even", "c10d::alltoall_", {listOf({1, 1, 1}), listOf({1, 1, 1})}).calls == 1);
  const auto gathered = [](const Sizes& sizes) {
    return torch::jit::Stack{c10::List<c10::List<at::Tensor>>({listOf(sizes)}), listOf({1})};
  };
  CHECK(lists("s-gather", "c10d::allgather_", gathered({1, 2, 3})).peers == PeerBytes{{0, 4}, {1, 8}, {2, 12}});
  CHECK(lists("s-gather-even", "c10d::allgather_", gathered({2, 2, 2})).calls == 0);
  const torch::jit::Stack scattered{listOf({1}), c10::List<c10::List<at::Tensor>>({listOf({2, 0, 1})})};
  CHECK(lists("s-scatter", "c10d::reduce_scatter_", scattered).peers == PeerBytes{{0, 8}, {1, 0}, {2, 4}});
}

TEST_CASE_FIXTURE(SplitFixture, "a call by its C++ types counts as a boxed one does") {
  at::Tensor tensor = floats(9);
  const c10::intrusive_ptr<c10d::ProcessGroup> group = makeGroup("s-typed", "s-typed", 3);
  const Sizes received{3, 3, 3};
  const Sizes sent{6, 0, 3};
  const std::array<Argument, 7> arguments{
      argumentOf(tensor),
      argumentOf(tensor),
      argumentOf(group),
      argumentOf(received),
      argumentOf(sent),
      argumentOf(false),
      argumentOf(int64_t{-1})};
  { const CallWatch watch(factsOf(handleOf("c10d::alltoall_base_")), kCpu, arguments.data()); }
  CHECK(splitsOf("s-typed") == exchange("s-boxed", received, sent));
}

TEST_CASE_FIXTURE(SplitFixture, "an op whose sizes are on a device, or that has none, has no split sizes") {
  CHECK((factsOf(handleOf("symm_mem::all_to_all_vdev")).splits.form == SplitForm::kNone));
  CHECK((factsOf(handleOf("c10d::allreduce_")).splits.form == SplitForm::kNone));
  CHECK((factsOf(handleOf("_c10d_functional::all_to_all_single")).splits.form == SplitForm::kSizes));
}

} // namespace
} // namespace commtap
