// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/shim/loaded_tables.h"

// The hooks of two runtimes have the same names under different versions, as a program's references to them have.
extern "C" {
int beginCapture12(void* stream, int mode);
int endCapture12(void* stream, void** graph);
int instantiate12(void** instance, void* graph, unsigned long long flags);
int launch12(void* instance, void* stream);
int launch13(void* instance, void* stream);
int destroy12(void* graph);
int destroyInstance12(void* instance);
int record12(fake_event* event, void* stream);
int recordWithFlags12(fake_event* event, void* stream, unsigned flags);
int wait12(void* stream, fake_event* event, unsigned flags);
int synchronize12(void* stream);
int synchronizeEvent12(fake_event* event);
}
__asm__(".symver beginCapture12, cudaStreamBeginCapture@libcudart.so.12");
__asm__(".symver endCapture12, cudaStreamEndCapture@libcudart.so.12");
__asm__(".symver instantiate12, cudaGraphInstantiate@libcudart.so.12");
__asm__(".symver launch12, cudaGraphLaunch@libcudart.so.12");
__asm__(".symver launch13, cudaGraphLaunch@libcudart.so.13");
__asm__(".symver destroy12, cudaGraphDestroy@libcudart.so.12");
__asm__(".symver destroyInstance12, cudaGraphExecDestroy@libcudart.so.12");
__asm__(".symver record12, cudaEventRecord@libcudart.so.12");
__asm__(".symver recordWithFlags12, cudaEventRecordWithFlags@libcudart.so.12");
__asm__(".symver wait12, cudaStreamWaitEvent@libcudart.so.12");
__asm__(".symver synchronize12, cudaStreamSynchronize@libcudart.so.12");
__asm__(".symver synchronizeEvent12, cudaEventSynchronize@libcudart.so.12");

namespace commtap {
namespace {

std::vector<std::string>& toldByCuda() {
  static std::vector<std::string> instance;
  return instance;
}

const commtap_cuda* cudaTable() {
  static const commtap_cuda table = {
      .capture_began = [] { toldByCuda().emplace_back("began"); },
      .capture_of = [](void* stream) { return static_cast<fake_stream*>(stream)->capture; },
      .capture_ended =
          [](uint64_t capture, const void* graph) {
            toldByCuda().push_back((graph == nullptr ? "failed " : "ended ") + std::to_string(capture));
          },
      .shares = [](const void*, const void*) { toldByCuda().emplace_back("shares"); },
      .includes = [](const void*, const void*) { toldByCuda().emplace_back("includes"); },
      .launched = [](const void*, void*) { toldByCuda().emplace_back("launched"); },
      .gone = [](const void*) { toldByCuda().emplace_back("gone"); },
  };
  toldByCuda().clear();
  return &table;
}

const commtap_streams* streamsTable() {
  static const commtap_streams table = {
      .recorded = [](void*, void*) { toldByCuda().emplace_back("recorded"); },
      .waits = [](void*, void*) { toldByCuda().emplace_back("waits"); },
      .host_waits = [](void* stream, void* event) -> void* {
        toldByCuda().emplace_back(event == nullptr ? "for a stream" : "for an event");
        return event == nullptr ? stream : nullptr;
      },
      .host_waited = [](void*) { toldByCuda().emplace_back("waited"); },
  };
  toldByCuda().clear();
  return &table;
}

TEST_CASE("a graph is reported from its capture to its end") {
  const LoadedTables loaded({nullptr, nullptr, nullptr, cudaTable(), nullptr});
  fake_stream stream{};
  void* graph = nullptr;
  void* instance = nullptr;
  REQUIRE(beginCapture12(&stream, 0) == kFakeSuccess);
  const std::string capture = std::to_string(stream.capture);
  REQUIRE(endCapture12(&stream, &graph) == kFakeSuccess);
  REQUIRE(instantiate12(&instance, graph, 0) == kFakeSuccess);
  REQUIRE(launch12(instance, &stream) == kFakeSuccess);
  REQUIRE(destroyInstance12(instance) == kFakeSuccess);
  REQUIRE(destroy12(graph) == kFakeSuccess);
  CHECK(toldByCuda() == std::vector<std::string>{"began", "ended " + capture, "shares", "launched", "gone", "gone"});
}

TEST_CASE("a call that fails reports nothing, and a capture that fails has no graph") {
  const LoadedTables loaded({nullptr, nullptr, nullptr, cudaTable(), nullptr});
  fake_stream stream{};
  void* graph = nullptr;
  CHECK(launch12(nullptr, &stream) == kFakeInvalidValue);
  CHECK(instantiate12(&graph, nullptr, 0) == kFakeInvalidValue);
  stream.breaks = true;
  beginCapture12(&stream, 0);
  CHECK(beginCapture12(&stream, 0) == kFakeInvalidValue);
  const std::string capture = std::to_string(stream.capture);
  CHECK(endCapture12(&stream, &graph) == kFakeInvalidValue);
  CHECK(toldByCuda() == std::vector<std::string>{"began", "failed " + capture});
}

TEST_CASE("events and waits of streams are reported, and a thread's wait from its begin to its end") {
  fake_stream stream{};
  fake_event event{};
  CHECK(record12(&event, &stream) == kFakeSuccess); // without a table the runtime alone is called
  const LoadedTables loaded({nullptr, nullptr, nullptr, nullptr, streamsTable()});
  CHECK(record12(&event, &stream) == kFakeSuccess);
  CHECK(recordWithFlags12(&event, &stream, 1) == kFakeSuccess);
  CHECK(recordWithFlags12(&event, &stream, 2) == kFakeInvalidValue);
  CHECK(wait12(&stream, &event, 0) == kFakeSuccess);
  CHECK(synchronize12(&stream) == kFakeSuccess);
  CHECK(synchronizeEvent12(&event) == kFakeSuccess);
  CHECK(
      toldByCuda() ==
      std::vector<std::string>{"recorded", "recorded", "waits", "for a stream", "waited", "for an event"});
}

TEST_CASE("each version's call reaches its own runtime, with a tracker and without") {
  void* runtime_13 = dlopen(COMMTAP_FAKE_RUNTIME_13, RTLD_LAZY | RTLD_LOCAL);
  REQUIRE(runtime_13 != nullptr);
  auto* launched_by_13 = reinterpret_cast<uint64_t (*)()>(dlsym(runtime_13, "fake_cuda_launched_graphs"));
  REQUIRE((launched_by_13 != nullptr));
  fake_stream stream{};
  int instance = 0;
  const uint64_t before = fake_cuda_launched_graphs();
  CHECK(launch12(&instance, &stream) == kFakeSuccess);
  const LoadedTables loaded({nullptr, nullptr, nullptr, cudaTable(), nullptr});
  CHECK(launch12(&instance, &stream) == kFakeSuccess);
  CHECK(launched_by_13() == 0);
  CHECK(launch13(&instance, &stream) == kFakeSuccess);
  CHECK(fake_cuda_launched_graphs() == before + 2);
  CHECK(launched_by_13() == 1);
  CHECK(toldByCuda() == std::vector<std::string>{"launched", "launched"});
}

} // namespace
} // namespace commtap
