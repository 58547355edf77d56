// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/nccl_hooks.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/child.h"
#include "tests/unit/shim/loaded_tables.h"

extern "C" {
struct UniqueId {
  char internal[128];
};
int ncclAllReduce(const void* send, void* recv, size_t count, int type, int op, void* comm, void* stream);
int ncclBcast(void* buffer, size_t count, int type, int root, void* comm, void* stream);
int ncclAllGatherConfig(
    const void* send,
    void* recv,
    size_t count,
    int type,
    void* comm,
    void* stream,
    const void* config);
int ncclAllToAll(const void* send, void* recv, size_t count, int type, void* comm, void* stream);
int ncclAllToAllv(
    const void* send,
    const size_t* send_counts,
    const size_t* send_offsets,
    void* recv,
    const size_t* recv_counts,
    const size_t* recv_offsets,
    int type,
    void* comm,
    void* stream);
int ncclGroupStart();
int ncclCommInitRank(void** made, int ranks, UniqueId id, int rank);
int ncclCommDestroy(void* comm);
uint64_t stub_nccl_calls(const char* name);
}

namespace commtap {
namespace {

constexpr int kFloat32 = 7;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
int hooked_timer;

std::string textOf(const commtap_nccl_call& call) {
  return std::to_string(call.function) + " type " + std::to_string(call.datatype) + " count " +
         std::to_string(call.count) + " result " + std::to_string(call.result) + (call.comm == nullptr ? "" : " comm") +
         (call.timer == &hooked_timer ? " timed" : "");
}

int open_call;

/// Says each call on stderr.
const commtap_nccl* sayingTable() {
  static commtap_nccl table{};
  table.begins = [](const commtap_nccl_call*) -> void* { return &hooked_timer; };
  table.entered = [](const commtap_nccl_call*) -> void* { return nullptr; };
  table.called = [](const commtap_nccl_call* call) { sayLine(textOf(*call)); };
  return &table;
}

std::string name(commtap_nccl_function function) {
  return std::to_string(function);
}

// Each in a child: the profiler plugin must not see that this process has hooked calls.

TEST_CASE("without a tracker a call reaches NCCL, and nothing is noted") {
  const ChildResult child = runInChild([] {
    int comm = 0;
    sayLine(std::to_string(ncclAllReduce(nullptr, nullptr, 4, kFloat32, 0, nullptr, nullptr)));
    sayLine(std::to_string(ncclAllReduce(nullptr, nullptr, 4, kFloat32, 0, &comm, nullptr)));
    sayLine(std::to_string(stub_nccl_calls("ncclAllReduce")));
    sayLine(std::to_string(static_cast<int>(commtap_nccl_is_hooked())));
  });
  CHECK(child.said == std::to_string(kInvalidArgument) + "\n0\n2\n0\n");
}

TEST_CASE("a call that moves data is reported after it has returned, with its result and timer") {
  const ChildResult child = runInChild([] {
    const LoadedTables loaded({nullptr, nullptr, sayingTable(), nullptr, nullptr});
    int comm = 0;
    ncclAllReduce(nullptr, nullptr, 4, kFloat32, 0, &comm, nullptr);
    ncclAllReduce(nullptr, nullptr, 5, kFloat32, 0, nullptr, nullptr);
    ncclGroupStart();
    sayLine(std::to_string(static_cast<int>(commtap_nccl_is_hooked())));
    sayLine(std::to_string(static_cast<int>(commtap_in_nccl_call())));
  });
  CHECK(
      child.said == name(COMMTAP_NCCL_AllReduce) + " type 7 count 4 result 0 comm timed\n" +
                        name(COMMTAP_NCCL_AllReduce) + " type 7 count 5 result 4 timed\n" +
                        name(COMMTAP_NCCL_GroupStart) + " type -1 count 0 result 0\n1\n0\n");
}

TEST_CASE("a call that NCCL makes itself is not reported") {
  const ChildResult child = runInChild([] {
    const LoadedTables loaded({nullptr, nullptr, sayingTable(), nullptr, nullptr});
    int comm = 0;
    ncclBcast(nullptr, 3, kFloat32, 0, &comm, nullptr);
    sayLine(std::to_string(stub_nccl_calls("ncclBroadcast")));
  });
  CHECK(child.said == name(COMMTAP_NCCL_Bcast) + " type 7 count 3 result 0 comm timed\n1\n");
}

TEST_CASE("a communicator is reported after it is made and before it ends") {
  const ChildResult child = runInChild([] {
    const LoadedTables loaded({nullptr, nullptr, sayingTable(), nullptr, nullptr});
    UniqueId id{};
    void* comm = nullptr;
    ncclCommInitRank(&comm, 4, id, 1);
    id.internal[127] = 'x'; // passed by value, to its end
    ncclCommInitRank(&comm, 4, id, 1);
    int ranks = 0;
    commtap_nccl_questions.comm_count(comm, &ranks);
    sayLine("ranks " + std::to_string(ranks));
    ncclCommDestroy(comm);
  });
  const std::string made = name(COMMTAP_NCCL_CommInitRank) + " type -1 count 0 result ";
  CHECK(
      child.said ==
      made + "4\n" + made + "0 comm\nranks 4\n" + name(COMMTAP_NCCL_CommDestroy) + " type -1 count 0 result 0 comm\n");
}

TEST_CASE("a call is noted before it runs, and as returned before it is reported") {
  const ChildResult child = runInChild([] {
    commtap_nccl table = *sayingTable();
    table.entered = [](const commtap_nccl_call* call) -> void* {
      sayLine("enters " + textOf(*call) + " of " + std::to_string(stub_nccl_calls("ncclAllReduce")));
      return call->function == COMMTAP_NCCL_GroupStart ? nullptr : &open_call;
    };
    table.returned = [](void* open) { sayLine(open == &open_call ? "returned" : "another"); };
    const LoadedTables loaded({nullptr, nullptr, &table, nullptr});
    UniqueId id{};
    id.internal[127] = 'x';
    void* comm = nullptr;
    ncclCommInitRank(&comm, 4, id, 1);
    ncclAllReduce(nullptr, nullptr, 4, kFloat32, 0, comm, nullptr);
    ncclGroupStart();
    ncclCommDestroy(comm);
  });
  const std::string make = name(COMMTAP_NCCL_CommInitRank) + " type -1 count 0 result ";
  const std::string reduce = name(COMMTAP_NCCL_AllReduce) + " type 7 count 4 result ";
  const std::string group = name(COMMTAP_NCCL_GroupStart) + " type -1 count 0 result ";
  const std::string destroy = name(COMMTAP_NCCL_CommDestroy) + " type -1 count 0 result 0 comm";
  CHECK(
      child.said == "enters " + make + "5 of 0\nreturned\n" + make + "0 comm\n" +                          //
                        "enters " + reduce + "5 comm timed of 0\nreturned\n" + reduce + "0 comm timed\n" + //
                        "enters " + group + "5 of 1\n" + group + "0\n" +                                   //
                        destroy + "\nenters " + destroy + " of 1\nreturned\n");
}

TEST_CASE("a function that the loaded NCCL lacks is an invalid usage") {
  const ChildResult child = runInChild([] {
    const LoadedTables loaded({nullptr, nullptr, sayingTable(), nullptr, nullptr});
    sayLine(std::to_string(ncclAllGatherConfig(nullptr, nullptr, 1, kFloat32, nullptr, nullptr, nullptr)));
  });
  CHECK(child.said == std::to_string(kInvalidUsage) + "\n");
}

TEST_CASE("a function of RCCL fails where NCCL lacks it, as another missing function does") {
  const ChildResult child = runInChild([] {
    int comm = 0;
    const size_t counts[] = {1, 2};
    sayLine(std::to_string(ncclAllToAll(nullptr, nullptr, 4, kFloat32, &comm, nullptr)));
    sayLine(std::to_string(ncclAllToAllv(nullptr, counts, counts, nullptr, counts, counts, kFloat32, &comm, nullptr)));
  });
  CHECK(child.said == std::to_string(kInvalidUsage) + "\n" + std::to_string(kInvalidUsage) + "\n");
}

} // namespace
} // namespace commtap
