// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job that captures collectives in CUDA graphs and launches the graphs ("graphs"), or whose collectives take
// a known time on their stream ("times"). It uses a stub of NCCL and fakes of CUDA's driver and runtime, and prints
// the calls that these got.

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "shim/commtap.h"
#include "tests/cuda/fake_cuda.h"
#include "tests/jobs/native/stub_group.h"

namespace {

using namespace stub;

/// One of the two runtimes, in a library opened with RTLD_LOCAL.
class Runtime {
 public:
  explicit Runtime(const char* user) : library_(dlopen(user, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
      std::cerr << dlerror() << "\n";
      std::exit(2);
    }
  }

  void beginCapture(fake_stream& stream) const {
    check(function<int(fake_stream*, int)>("cudaStreamBeginCapture")(&stream, 0));
  }
  /// Returns the captured graph; nullptr if the capture failed.
  void* endCapture(fake_stream& stream) const {
    void* graph = nullptr;
    function<int(fake_stream*, void**)>("cudaStreamEndCapture")(&stream, &graph);
    return graph;
  }
  void* instantiate(void* graph) const {
    void* instance = nullptr;
    check(function<int(void**, void*, unsigned long long)>("cudaGraphInstantiate")(&instance, graph, 0));
    return instance;
  }
  void update(void* instance, void* graph) const {
    check(function<int(void*, void*, void*)>("cudaGraphExecUpdate")(instance, graph, nullptr));
  }
  void* clone(void* graph) const {
    void* made = nullptr;
    check(function<int(void**, void*)>("cudaGraphClone")(&made, graph));
    return made;
  }
  void addChild(void* graph, void* child) const {
    void* node = nullptr;
    check(function<int(void**, void*, const void*, size_t, void*)>("cudaGraphAddChildGraphNode")(
        &node, graph, nullptr, 0, child));
  }
  void launch(void* instance, fake_stream& stream, int times = 1) const {
    for (int i = 0; i < times; ++i) {
      check(function<int(void*, fake_stream*)>("cudaGraphLaunch")(instance, &stream));
    }
  }
  void destroy(void* graph) const {
    check(function<int(void*)>("cudaGraphDestroy")(graph));
  }
  void destroyInstance(void* instance) const {
    check(function<int(void*)>("cudaGraphExecDestroy")(instance));
  }
  void record(fake_event& event, fake_stream& stream) const {
    check(function<int(fake_event*, fake_stream*)>("cudaEventRecord")(&event, &stream));
  }
  void waitOnDefaultStream(fake_event& event) const {
    check(function<int(fake_stream*, fake_event*, unsigned)>("cudaStreamWaitEvent")(nullptr, &event, 0));
  }
  uint64_t launched() const {
    return function<fake_cuda_launches>("fake_cuda_launched_graphs")();
  }

 private:
  template <typename Function>
  Function* function(const char* name) const {
    auto* find = reinterpret_cast<void* (*)(const char*)>(dlsym(library_, "cuda_user_function"));
    return reinterpret_cast<Function*>(find(name));
  }
  static void check(int result) {
    if (result != kFakeSuccess) {
      std::cerr << "a function of CUDA failed\n";
      std::exit(3);
    }
  }

  void* library_;
};

class Training {
 public:
  explicit Training(c10d::ProcessGroup& world) : world_(world) {}

  void allReduce(int64_t elements) {
    std::vector<at::Tensor> tensors{at::ones({elements})};
    world_.allreduce(tensors)->wait();
  }
  void allToAll(int64_t elements) {
    at::Tensor input = at::ones({elements});
    at::Tensor output = at::empty({elements});
    std::vector<int64_t> sizes;
    world_.all_to_all_single(output, input, sizes, sizes)->wait();
  }

 private:
  c10d::ProcessGroup& world_;
};

void gather(Communicator communicator, fake_stream& stream, size_t elements) {
  std::vector<float> buffer(elements);
  nccl<Gathering>("ncclAllGather")(buffer.data(), buffer.data(), elements, kFloat32, communicator, &stream);
}

/// Captures a layer's collectives and two direct all_gathers, with an eager all_reduce before and after.
void* captureLayers(const Runtime& cuda, Training& training, Communicator communicator, fake_stream& stream) {
  training.allReduce(4);
  cuda.beginCapture(stream);
  commtap_scope_push("Layer");
  training.allReduce(8);
  training.allReduce(8);
  training.allReduce(1024);
  training.allToAll(8);
  commtap_scope_pop();
  gather(communicator, stream, 2);
  gather(communicator, stream, 2);
  void* graph = cuda.endCapture(stream);
  training.allReduce(4);
  return graph;
}

void captureAndFail(const Runtime& cuda, Training& training, fake_stream& stream) {
  cuda.beginCapture(stream);
  training.allReduce(16);
  stream.breaks = true;
  if (cuda.endCapture(stream) != nullptr) {
    std::exit(4);
  }
  stream.breaks = false;
}

/// Makes a graph that launches another one, a graph with a child graph, and a copy that is updated to the first.
void compose(const Runtime& cuda, Training& training, void* layers, void* instance, fake_stream& stream) {
  cuda.beginCapture(stream);
  cuda.launch(instance, stream);
  training.allReduce(32);
  void* outer = cuda.endCapture(stream);
  cuda.launch(cuda.instantiate(outer), stream, 2);

  cuda.beginCapture(stream);
  training.allReduce(64);
  void* parent = cuda.endCapture(stream);
  cuda.addChild(parent, layers);
  cuda.launch(cuda.instantiate(parent), stream);

  void* copy = cuda.instantiate(cuda.clone(layers));
  cuda.launch(copy, stream, 3);
  cuda.update(copy, outer);
  cuda.launch(copy, stream);
  cuda.destroyInstance(copy);
}

void captureGraphs(Training& training, Communicator communicator, fake_stream& stream) {
  const Runtime cuda(COMMTAP_CUDA_USER_13);
  const Runtime other(COMMTAP_CUDA_USER_12);
  void* layers = captureLayers(cuda, training, communicator, stream);
  void* instance = cuda.instantiate(layers);
  cuda.launch(instance, stream, 5);
  commtap_mark_step();
  cuda.launch(instance, stream, 2);
  captureAndFail(cuda, training, stream);
  commtap_mark_step();
  compose(cuda, training, layers, instance, stream);
  cuda.destroy(layers);
  cuda.launch(instance, stream);

  other.beginCapture(stream); // another runtime's graph
  training.allReduce(128);
  void* beside = other.endCapture(stream);
  other.launch(other.instantiate(beside), stream, 10);
  std::cout << "launches " << cuda.launched() << " " << other.launched() << "\n";
}

void takeTime(Training& training, fake_stream& stream) {
  const Runtime cuda(COMMTAP_CUDA_USER_13);
  commtap_scope_push("Layer");
  training.allReduce(100);
  commtap_mark_step();
  training.allReduce(300);
  commtap_mark_step();
  training.allToAll(40); // two sends and two receives of 20 elements, in a group
  groupStart();
  training.allReduce(1000);
  training.allReduce(1000);
  groupEnd();
  commtap_scope_pop();
  cuda.beginCapture(stream);
  training.allReduce(5000);
  void* instance = cuda.instantiate(cuda.endCapture(stream));
  cuda.launch(instance, stream, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  training.allReduce(200); // the tracker queries its events at the end
}

template <typename Function>
Function* ofDriver(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), name));
}

/// Lets the default stream, which computes, wait for an all_reduce of 400 us after 150 us of work.
void waitForCollective(Training& training, fake_stream& stream) {
  fake_stream& computing = *ofDriver<fake_stream*(fake_stream*)>("fake_cuda_stream")(nullptr);
  // Without this, a slow machine finds the collective over before the wait for it is queued.
  const auto hold = ofDriver<void(bool)>("fake_cuda_hold");
  hold(true);
  for (const char* user : {COMMTAP_CUDA_USER_13, COMMTAP_CUDA_USER_12}) {
    const Runtime cuda(user);
    static fake_event event;
    computing.clock_ns = stream.clock_ns;
    commtap_scope_push("Layer");
    training.allReduce(400);
    commtap_scope_pop();
    cuda.record(event, stream);
    computing.clock_ns += 150000;
    commtap_scope_push("Next");
    cuda.waitOnDefaultStream(event);
    commtap_scope_pop();
  }
  hold(false);
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int rank = numberOf("RANK");
  const int size = numberOf("WORLD_SIZE");
  if (library() == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  const Runtime loads_driver(COMMTAP_CUDA_USER_13);
  static fake_stream stream; // exists longer than main: the tracker queries its events at the exit
  Communicator communicator = initRank(rank, size);
  auto world = joinWorld(rank, size, communicator, &stream);
  Training training(*world);
  if (what == "graphs") {
    captureGraphs(training, communicator, stream);
  } else if (what == "waits") {
    waitForCollective(training, stream);
  } else {
    takeTime(training, stream);
    if (what == "hangs") {
      stream.hangs = true;
      training.allReduce(7);
    }
  }
  std::cout << "forbidden " << ofDriver<fake_cuda_forbidden>("fake_cuda_forbidden_calls")() << "\n";
  return 0;
}
