// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/nccl_calls.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/issued_call.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"
#include "tracker/modules/module_hook.h"

namespace commtap {
namespace {

constexpr int kFloat32 = 7;
constexpr int kSystemError = 2;
constexpr int kInProgress = 7;

/// The answers of the fake NCCL, and the number of questions.
struct Answers {
  int result = 0;
  int ranks = 4;
  int rank = 1;
  int asked = 0;
  int forks = 0;
} answers;

constexpr commtap_nccl_questions kQuestions = {
    .comm_count =
        [](const void*, int* ranks) {
          ++answers.asked;
          *ranks = answers.ranks;
          return answers.result;
        },
    .comm_user_rank =
        [](const void*, int* rank) {
          *rank = answers.rank;
          return answers.result;
        },
    .get_version =
        [](int* version) {
          *version = 22907;
          return 0;
        },
    .forked = [] { ++answers.forks; },
};

/// Returns the address of a communicator that no other test has.
const void* newCommunicator() {
  static uintptr_t address = 0x7e0000000000U;
  address += 64;
  return reinterpret_cast<const void*>(address); // NOLINT(performance-no-int-to-ptr)
}

class NcclFixture : public TrackerFixture {
 public:
  NcclFixture() {
    answers = {};
    DeviceTiming::start({});
  }
  NcclFixture(const NcclFixture&) = delete;
  NcclFixture& operator=(const NcclFixture&) = delete;
  ~NcclFixture() {
    thread.frame = nullptr;
    thread.nccl_groups_open = 0;
    NcclCalls::setOn(true);
  }

  static commtap_nccl_call callOf(commtap_nccl_function function, const void* on, size_t count) {
    return {function, kFloat32, count, on, nullptr, nullptr, 0, nullptr, nullptr};
  }
  void called(const commtap_nccl_call& call) const {
    hooks.called(&call);
  }
  void called(commtap_nccl_function function, const void* on = nullptr, size_t count = 0) const {
    called(callOf(function, on, count));
  }
  /// The rows of the communicator that came last.
  std::vector<NcclCall> newest() const {
    const Report now = report();
    std::vector<NcclCall> found;
    for (const NcclCall& row : now.nccl.value().calls) {
      if (row.communicator == now.nccl->communicators.size() - 1) {
        found.push_back(row);
      }
    }
    return found;
  }
  NcclCommunicator newestCommunicator() const {
    return report().nccl.value().communicators.back();
  }
  size_t communicators() const {
    return report().nccl.value().communicators.size();
  }

  const commtap_nccl& hooks = *NcclCalls::hooks(&kQuestions);
  const void* comm = newCommunicator();
  ThreadState& thread = *ThreadState::current();
};

TEST_CASE_FIXTURE(NcclFixture, "a call inside a collective is attributed as the collective is") {
  LedgerWriter& ledger = ProcessLedger::ledger();
  const uint32_t group = ledger.addGroup("nccl-group", "tp", "nccl", 4, 1, {});
  CollectiveKey key{};
  key.op = ledger.intern("nccl.collective");
  key.group = group;
  key.phase = Phase::kBackward;
  OpFrame frame;
  frame.row = ledger.row(key);
  frame.op = key.op;
  thread.frame = &frame;
  called(COMMTAP_NCCL_AllReduce, comm, 10);
  called(COMMTAP_NCCL_AllReduce, comm, 6);
  REQUIRE(newest().size() == 1);
  const NcclCall row = newest()[0];
  CHECK(row.function == "ncclAllReduce");
  CHECK(row.op == "nccl.collective");
  CHECK(row.group == "nccl-group");
  CHECK(row.module == "Global");
  CHECK(row.phase == Phase::kBackward);
  CHECK(row.dtype == "float32");
  CHECK(row.in_group == false);
  CHECK(row.source == NcclSource::kCall);
  CHECK(row.count == 2);
  CHECK(row.bytes == 64);
  CHECK(row.failed == 0);
  CHECK(newestCommunicator() == NcclCommunicator{4, 1, "nccl-group"});
  CHECK(ProcessLedger::get().hasOutput());
}

TEST_CASE_FIXTURE(NcclFixture, "a call outside of collectives is attributed to where its thread is") {
  for (const char* scope : {"nccl-one", "nccl-two", "nccl-one"}) {
    pushScope(scope);
    called(COMMTAP_NCCL_Broadcast, comm, 1);
    REQUIRE(popScope());
  }
  const std::vector<NcclCall> found = newest();
  REQUIRE(found.size() == 2);
  for (const NcclCall& row : found) {
    CHECK(row.op.empty());
    CHECK(row.group.empty());
    CHECK(row.phase == Phase::kForward);
    CHECK(row.count == (row.module == "nccl-one" ? 2 : 1));
  }
  CHECK(newestCommunicator().group.empty());
}

TEST_CASE_FIXTURE(NcclFixture, "the payload is S of nccl-tests: all ranks' parts of a gathering function") {
  called(COMMTAP_NCCL_AllGather, comm, 3);
  called(COMMTAP_NCCL_Send, comm, 3);
  commtap_nccl_call registered = callOf(COMMTAP_NCCL_CommRegister, comm, 4096);
  registered.datatype = -1;
  called(registered);
  commtap_nccl_call finalized = callOf(COMMTAP_NCCL_CommFinalize, comm, 9);
  finalized.datatype = -1;
  called(finalized);
  const std::vector<NcclCall> found = newest();
  REQUIRE(found.size() == 4);
  for (const NcclCall& row : found) {
    CAPTURE(row.function);
    CHECK(row.count == 1);
    if (row.function == "ncclAllGather") {
      CHECK(row.bytes == 48);
    } else if (row.function == "ncclSend") {
      CHECK(row.bytes == 12);
    } else {
      CHECK(row.bytes == (row.function == "ncclCommRegister" ? 4096 : 0));
      CHECK(row.dtype.empty());
    }
  }
}

TEST_CASE_FIXTURE(NcclFixture, "a communicator is asked for its size once, and only when it moves data") {
  called(COMMTAP_NCCL_CommInitRank, comm);
  CHECK(answers.asked == 0);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  called(COMMTAP_NCCL_Send, comm, 1);
  CHECK(answers.asked == 1);
}

TEST_CASE_FIXTURE(NcclFixture, "a communicator that does not answer is asked again and is in not_seen") {
  const uint64_t before = notSeen("unknown_communicator");
  answers.result = kSystemError;
  called(COMMTAP_NCCL_AllGather, comm, 2);
  CHECK(notSeen("unknown_communicator") == before + 1);
  CHECK_FALSE(newestCommunicator().size);
  REQUIRE(newest().size() == 1);
  CHECK(newest()[0].bytes == 8); // this rank's part, which is at least known
  answers.result = 0;
  called(COMMTAP_NCCL_AllGather, comm, 2);
  CHECK(notSeen("unknown_communicator") == before + 1);
  CHECK(newest()[0].bytes == 8 + 32);
}

TEST_CASE_FIXTURE(
    NcclFixture,
    "a call that fails is counted as failed, without bytes; one in progress has not failed") {
  commtap_nccl_call call = callOf(COMMTAP_NCCL_AllReduce, comm, 8);
  call.result = kSystemError;
  called(call);
  call.result = kInProgress;
  called(call);
  call.result = 0;
  called(call);
  REQUIRE(newest().size() == 1);
  CHECK(newest()[0].count == 3);
  CHECK(newest()[0].failed == 1);
  CHECK(newest()[0].bytes == 64);
}

TEST_CASE_FIXTURE(NcclFixture, "calls between the outer GroupStart and GroupEnd are in a group") {
  commtap_nccl_call fails = callOf(COMMTAP_NCCL_GroupStart, nullptr, 0);
  fails.result = kSystemError;
  called(fails);
  called(COMMTAP_NCCL_Send, comm, 1);
  called(COMMTAP_NCCL_GroupStart);
  called(COMMTAP_NCCL_GroupStart);
  called(COMMTAP_NCCL_GroupEnd);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  called(COMMTAP_NCCL_GroupEnd);
  CHECK(thread.nccl_groups_open == 0);
  called(COMMTAP_NCCL_GroupEnd); // one too many
  called(COMMTAP_NCCL_Recv, comm, 1);
  CHECK(thread.nccl_groups_open == 0);
  REQUIRE(newest().size() == 3);
  for (const NcclCall& row : newest()) {
    CHECK(row.in_group == (row.function == "ncclAllReduce"));
  }
}

TEST_CASE_FIXTURE(NcclFixture, "after a communicator's end its address is another communicator") {
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  const size_t before = communicators();
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  CHECK(communicators() == before);
  for (const commtap_nccl_function end : {COMMTAP_NCCL_CommDestroy, COMMTAP_NCCL_CommAbort}) {
    called(end, comm);
    answers.ranks = 2;
    called(COMMTAP_NCCL_AllReduce, comm, 1);
  }
  CHECK(communicators() == before + 2);
  CHECK(newestCommunicator().size == 2);
  hooks.ended(comm); // as the profiler plugin reports it
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  CHECK(communicators() == before + 3);
}

TEST_CASE_FIXTURE(NcclFixture, "a call that the profiler plugin reports brings its own size, and may be in a group") {
  const commtap_nccl_place place{8, 5};
  commtap_nccl_call call = callOf(COMMTAP_NCCL_AllGather, comm, 1);
  call.place = &place;
  thread.nccl_groups_open = 1;
  called(call);
  CHECK(thread.nccl_groups_open == 1);
  CHECK(answers.asked == 0);
  CHECK(newestCommunicator() == NcclCommunicator{8, 5, ""});
  REQUIRE(newest().size() == 1);
  CHECK(newest()[0].source == NcclSource::kPlugin);
  CHECK_FALSE(newest()[0].in_group);
  CHECK(newest()[0].bytes == 32);
  thread.nccl_groups_open = 0;
  called(call);
  REQUIRE(newest().size() == 1); // the thread's groups say nothing of it
  CHECK(newest()[0].count == 2);
}

TEST_CASE_FIXTURE(NcclFixture, "while counting is off nothing is counted, and groups and communicators are followed") {
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  const size_t before = communicators();
  NcclCalls::setOn(false);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  called(COMMTAP_NCCL_GroupStart);
  called(COMMTAP_NCCL_CommDestroy, comm);
  CHECK(newest()[0].count == 1);
  CHECK(newest().size() == 1);
  NcclCalls::setOn(true);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  called(COMMTAP_NCCL_GroupEnd);
  CHECK(communicators() == before + 1);
  REQUIRE(newest().size() == 1);
  CHECK(newest()[0].in_group == true);
}

TEST_CASE_FIXTURE(NcclFixture, "a call that a CUDA graph captures is counted when the graph is launched") {
  const commtap_cuda& cuda = *GraphCaptures::hooks();
  fake_stream stream{};
  const int graph = 0;
  cuda.capture_began();
  stream.capture = 21;
  commtap_nccl_call call = callOf(COMMTAP_NCCL_AllReduce, comm, 2);
  call.stream = &stream;
  called(call);
  cuda.capture_ended(21, &graph);
  stream.capture = 0;
  REQUIRE(newest().size() == 1);
  CHECK(newest()[0].captured == 1);
  CHECK(newest()[0].count == 0);
  cuda.launched(&graph, &stream);
  CHECK(newest()[0].count == 1);
  CHECK(newest()[0].bytes == 8);
  cuda.gone(&graph);
}

TEST_CASE_FIXTURE(NcclFixture, "a forked child notifies the stub") {
  NcclCalls::resetInForkedChild();
  CHECK(answers.forks == 1);
}

TEST_CASE_FIXTURE(NcclFixture, "an uneven all_to_all has the bytes for all ranks of the communicator") {
  const size_t counts[] = {1, 2, 3, 4, 99};
  commtap_nccl_call call = callOf(COMMTAP_NCCL_AllToAllv, comm, 0);
  call.counts = counts;
  called(call);
  called(COMMTAP_NCCL_AllToAll, comm, 5);
  called(COMMTAP_NCCL_AllReduceWithBias, comm, 5);
  std::set<std::string> found;
  for (const NcclCall& row : newest()) {
    found.insert(row.function + " " + std::to_string(row.bytes));
  }
  CHECK(found == std::set<std::string>{"ncclAllToAllv 40", "ncclAllToAll 80", "ncclAllReduceWithBias 20"});
}

TEST_CASE_FIXTURE(NcclFixture, "a call is open from its entry until it returns, in the group of its collective") {
  LedgerWriter& ledger = ProcessLedger::ledger();
  CollectiveKey key{};
  key.op = ledger.intern("nccl.open");
  key.group = ledger.addGroup("nccl-open", "tp", "nccl", 4, 1, {});
  OpFrame frame;
  frame.row = ledger.row(key);
  thread.frame = &frame;
  const commtap_nccl_call call = callOf(COMMTAP_NCCL_AllReduce, comm, 10);
  void* open = hooks.entered(&call);
  REQUIRE(open != nullptr);
  thread.frame = nullptr;
  const commtap_nccl_call abort = callOf(COMMTAP_NCCL_CommAbort, comm, 0);
  void* other = hooks.entered(&abort);
  const std::vector<EnteredCall> now = report().open_calls;
  REQUIRE(now.size() == 2);
  std::set<std::string> found;
  for (const EnteredCall& each : now) {
    found.insert(each.function + " of " + each.group);
    CHECK(each.entered_at_ns > 0);
  }
  CHECK(found == std::set<std::string>{"ncclAllReduce of nccl-open", "ncclCommAbort of "});
  hooks.returned(open);
  hooks.returned(other);
  CHECK(report().open_calls.empty());
}

TEST_CASE_FIXTURE(NcclFixture, "no call is noted as open while counting is off") {
  NcclCalls::setOn(false);
  const commtap_nccl_call call = callOf(COMMTAP_NCCL_AllReduce, comm, 10);
  CHECK(hooks.entered(&call) == nullptr);
}

TEST_CASE_FIXTURE(NcclFixture, "device communicators and windows are signs of what cannot be seen, if they were made") {
  const uint64_t devices = notSeen("device_communicators");
  const uint64_t windows = notSeen("nccl_windows");
  commtap_nccl_call failed = callOf(COMMTAP_NCCL_DevCommCreate, comm, 0);
  failed.result = kSystemError;
  called(failed);
  CHECK(notSeen("device_communicators") == devices);
  called(COMMTAP_NCCL_DevCommCreate, comm);
  CHECK(notSeen("device_communicators") == devices + 1);
  called(COMMTAP_NCCL_CommWindowRegister, comm, 64);
  called(COMMTAP_NCCL_PutSignal, comm, 1);
  called(COMMTAP_NCCL_Signal, comm);
  called(COMMTAP_NCCL_WaitSignal, comm);
  called(COMMTAP_NCCL_AllReduce, comm, 1);
  CHECK(notSeen("nccl_windows") == windows + 3);
  CHECK(notSeen("device_communicators") == devices + 1);
}

TEST_CASE_FIXTURE(NcclFixture, "what a collective does for itself counts with the collective and is no sign") {
  const uint64_t windows = notSeen("nccl_windows");
  const uint64_t devices = notSeen("device_communicators");
  OpFrame frame;
  thread.frame = &frame;
  called(COMMTAP_NCCL_DevCommCreate, comm);
  CHECK(notSeen("device_communicators") == devices);
  called(COMMTAP_NCCL_PutSignal, comm, 1);
  CHECK(notSeen("nccl_windows") == windows);
}

} // namespace
} // namespace commtap
