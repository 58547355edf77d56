// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/shim/loaded_tables.h"

namespace {

constexpr int kCollective = 1 << 1;
constexpr int kPointToPoint = 1 << 2;
constexpr int kKernel = 1 << 6;
constexpr int kCollectiveCall = 1 << 9;
constexpr int kPointToPointCall = 1 << 10;
constexpr int kKernelStopped = 22;

} // namespace

extern "C" {
// As NCCL 2.27 to 2.31 lay them out: nccl_profiler.c says where.
struct Event {
  uint64_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* function;
      size_t count;
      const char* datatype;
      int root;
      void* stream;
    } call;
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* receive;
      size_t count;
      int root;
      const char* datatype;
      uint8_t channels;
    } collective;
    struct {
      uint8_t channel;
      uint64_t gpu_ns;
    } kernel;
  };
};
struct Profiler {
  const char* name;
  int (*init)(void**, uint64_t, int*, const char*, int, int, int, void*);
  int (*start_event)(void*, void**, const Event*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, const uint64_t*);
  int (*finalize)(void*);
};
struct ProfilerV4 {
  const char* name;
  int (*init)(void**, int*, const char*, uint64_t, int, int, int, void*);
  int (*start_event)(void*, void**, const Event*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, const uint64_t*);
  int (*finalize)(void*);
};
extern const Profiler ncclProfiler_v7;
extern const ProfilerV4 ncclProfiler_v4;
}

namespace commtap {
namespace {

int profiler_timer;

/// The reports that the tracker received.
struct Profiled {
  std::vector<std::string> calls;
  const void* ended = nullptr;
  uint64_t ran_ns = 0;
};
Profiled& profiled() {
  static Profiled instance;
  return instance;
}

std::string profiledText(const commtap_nccl_call& call) {
  return std::to_string(call.function) + " type " + std::to_string(call.datatype) + " count " +
         std::to_string(call.count) + " rank " + std::to_string(call.place->rank) + "/" +
         std::to_string(call.place->ranks);
}

const commtap_nccl* profilingTable(bool is_timed) {
  static commtap_nccl table{};
  profiled() = {};
  table.called = [](const commtap_nccl_call* call) { profiled().calls.push_back(profiledText(*call)); };
  table.ended = [](const void* comm) { profiled().ended = comm; };
  table.kernels_expected = nullptr;
  if (is_timed) {
    table.kernels_expected = [](const commtap_nccl_call*) -> void* { return &profiler_timer; };
  }
  table.ran = [](void*, uint64_t ns) { profiled().ran_ns = ns; };
  return &table;
}

struct Started {
  void* context = nullptr;
  int mask = 0;
};

Event callOf(const char* function) {
  Event event{};
  event.type = kCollectiveCall;
  event.call = {function, 6, "ncclFloat32", 0, nullptr};
  return event;
}

TEST_CASE("without a tracker NCCL is asked for no events") {
  Started started{nullptr, -1};
  CHECK(ncclProfiler_v7.init(&started.context, 1, &started.mask, "", 1, 4, 2, nullptr) == 0);
  CHECK(started.mask == 0);
  ncclProfiler_v7.finalize(started.context);
}

TEST_CASE("a call is reported with its communicator's ranks until that ends") {
  const LoadedTables loaded({nullptr, nullptr, profilingTable(false), nullptr});
  Started started;
  ncclProfiler_v7.init(&started.context, 1, &started.mask, "", 1, 4, 2, nullptr);
  CHECK(started.mask == (kCollectiveCall | kPointToPointCall));
  const Event known = callOf("AllReduce");
  void* handle = &profiler_timer;
  ncclProfiler_v7.start_event(started.context, &handle, &known);
  CHECK(handle == nullptr);
  const Event unknown = callOf("AllToSome");
  ncclProfiler_v7.start_event(started.context, &handle, &unknown);
  CHECK(
      profiled().calls ==
      std::vector<std::string>{std::to_string(COMMTAP_NCCL_AllReduce) + " type 7 count 6 rank 2/4"});
  ncclProfiler_v7.finalize(started.context);
  CHECK(profiled().ended == started.context);
}

TEST_CASE("kernels are asked for only around a timed call, and their time is passed on") {
  const LoadedTables loaded({nullptr, nullptr, profilingTable(true), nullptr});
  Started started;
  ncclProfiler_v7.init(&started.context, 1, &started.mask, "", 1, 4, 2, nullptr);
  const Event call = callOf("AllGather");
  void* handle = nullptr;
  ncclProfiler_v7.start_event(started.context, &handle, &call);
  CHECK(started.mask == (kCollectiveCall | kPointToPointCall | kCollective | kPointToPoint | kKernel));

  Event enqueued{};
  enqueued.type = kCollective;
  enqueued.parent = handle;
  enqueued.collective.channels = 1;
  ncclProfiler_v7.start_event(started.context, &handle, &enqueued);
  Event kernel{};
  kernel.type = kKernel;
  kernel.parent = handle;
  kernel.kernel = {0, 1000};
  ncclProfiler_v7.start_event(started.context, &handle, &kernel);
  const uint64_t end_ns = 1700;
  ncclProfiler_v7.record_event_state(handle, kKernelStopped, &end_ns);
  CHECK(profiled().ran_ns == 700);

  const Event unknown = callOf("AllToSome");
  ncclProfiler_v7.start_event(started.context, &handle, &unknown);
  CHECK(started.mask == (kCollectiveCall | kPointToPointCall));
  ncclProfiler_v7.finalize(started.context);
}

TEST_CASE("version 4 reports a call when it is enqueued") {
  const LoadedTables loaded({nullptr, nullptr, profilingTable(false), nullptr});
  Started started;
  ncclProfiler_v4.init(&started.context, &started.mask, "", 1, 1, 8, 5, nullptr);
  CHECK(started.mask == (kCollective | kPointToPoint));
  Event event{};
  event.type = kCollective;
  event.collective = {0, "ReduceScatter", nullptr, nullptr, 9, 0, "ncclBfloat16", 2};
  void* handle = nullptr;
  ncclProfiler_v4.start_event(started.context, &handle, &event);
  CHECK(
      profiled().calls ==
      std::vector<std::string>{std::to_string(COMMTAP_NCCL_ReduceScatter) + " type 9 count 9 rank 5/8"});
  ncclProfiler_v4.finalize(started.context);
}

} // namespace
} // namespace commtap
