// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python whose process group calls a stub of NCCL, or of RCCL, as c10d's does, in a library
// opened with RTLD_LOCAL. Prints how often NCCL itself was called. With a number, NCCL reports calls to that version of
// its profiler plugin. A further argument makes the calls inside a process group.

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>
#include <vector>

#include "shim/commtap.h"
#include "tests/jobs/native/stub_group.h"

namespace {

using namespace stub;

#ifdef COMMTAP_NCCL_LIBRARY
constexpr const char* kLibrary = COMMTAP_NCCL_LIBRARY;
#else
constexpr const char* kLibrary = "libnccl.so.2";
#endif

void train(c10d::ProcessGroup& world) {
  at::Tensor tensor = at::ones({8});
  std::vector<at::Tensor> tensors{tensor};
  commtap_scope_push("Layer");
  for (int step = 0; step < 3; ++step) {
    world.allreduce(tensors)->wait();
  }
  world.broadcast(tensors)->wait();
  at::Tensor output = at::empty({8});
  std::vector<int64_t> sizes;
  world.all_to_all_single(output, tensor, sizes, sizes)->wait();
  commtap_scope_pop();
}

/// Calls NCCL directly, as inference engines do.
void callBesideC10d(Communicator communicator) {
  float buffer[8] = {};
  commtap_scope_push("Engine");
  nccl<Gathering>("ncclAllGather")(buffer, buffer, 2, kFloat32, communicator, nullptr);
  nccl<Reduction>("ncclReduceScatter")(buffer, buffer, 2, kInt64, 0, communicator, nullptr);
  nccl<Reduction>("ncclAllReduce")(buffer, buffer, 2, kFloat32, 0, nullptr, nullptr); // fails: no communicator
  commtap_scope_pop();
}

/// Calls the functions that RCCL has in addition to NCCL's, on a communicator of two ranks.
void callOfRccl(Communicator communicator) {
  using Biased = int(const void*, void*, size_t, int, int, Communicator, void*, const void*);
  using Uneven =
      int(const void*, const size_t*, const size_t*, void*, const size_t*, const size_t*, int, Communicator, void*);
  float buffer[8] = {};
  const size_t counts[] = {1, 2};
  commtap_scope_push("Rccl");
  nccl<Biased>("ncclAllReduceWithBias")(buffer, buffer, 3, kFloat32, 0, communicator, nullptr, buffer);
  nccl<Gathering>("ncclAllToAll")(buffer, buffer, 4, kFloat32, communicator, nullptr);
  nccl<Uneven>("ncclAllToAllv")(buffer, counts, counts, buffer, counts, counts, kFloat32, communicator, nullptr);
  commtap_scope_pop();
}

/// Makes a communicator in the background, and two in turn that may share an address.
void makeAndEnd(Communicator communicator) {
  Communicator background = nullptr;
  nccl<int(Communicator*, int, UniqueId, int, void*)>("ncclCommInitRankConfig")(&background, 4, {}, 1, nullptr);
  char buffer[64] = {};
  for (int i = 0; i < 3; ++i) {
    nccl<Gathering>("ncclAllGather")(buffer, buffer, 4, 0, background, nullptr);
  }
  for (int i = 0; i < 2; ++i) {
    Communicator split = nullptr;
    nccl<int(Communicator, int, int, Communicator*, void*)>("ncclCommSplit")(communicator, 0, 0, &split, nullptr);
    nccl<Gathering>("ncclAllGather")(buffer, buffer, 4, 0, split, nullptr);
    nccl<int(Communicator)>("ncclCommDestroy")(split);
  }
}

/// Bypasses the shim: the address comes from dlsym() on the library's handle.
void callByHandle(Communicator communicator) {
  void* nccl_library = dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  float buffer[1] = {};
  auto* reduce = reinterpret_cast<Reduction*>(dlsym(nccl_library, "ncclAllReduce"));
  reduce(buffer, buffer, 1, kFloat32, 0, communicator, nullptr);
}

void sayWhatWasCalled() {
  void* nccl_library = dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  auto* calls = reinterpret_cast<uint64_t (*)(const char*)>(dlsym(nccl_library, "stub_nccl_calls"));
  for (const char* name :
       {"ncclAllReduce",
        "ncclReduceScatter",
        "ncclAllGather",
        "ncclBcast",
        "ncclBroadcast",
        "ncclSend",
        "ncclRecv",
        "ncclGroupStart",
        "ncclGroupEnd",
        "ncclCommInitRank",
        "ncclCommInitRankConfig",
        "ncclCommSplit",
        "ncclCommDestroy",
        "ncclAllReduceWithBias",
        "ncclAllToAll",
        "ncclAllToAllv"}) {
    std::cout << name << " " << calls(name) << "\n";
  }
}

using Play = int(int, int, int);

Play* openPluginHost() {
  void* host = dlopen(COMMTAP_PLUGIN_HOST, RTLD_NOW | RTLD_LOCAL);
  if (host == nullptr) {
    std::cerr << dlerror() << "\n";
    std::exit(2);
  }
  return reinterpret_cast<Play*>(dlsym(host, "plugin_host_play"));
}

/// Runs an NCCL that bypasses the shim and notifies its profiler plugin of this version. Runs it twice: state of the
/// first communicator must not carry over to the second.
void tellPlugin(int version, int rank, int size) {
  Play* play = openPluginHost();
  commtap_scope_push("Engine");
  std::cout << "mask " << play(version, size, rank) << "\n";
  std::cout << "mask " << play(version, size * 2, rank) << "\n";
  commtap_scope_pop();
}

/// A backend whose NCCL bypasses the shim and notifies its profiler plugin.
class PluginBackend : public StubBackend {
 public:
  PluginBackend(int version, int rank, int size) : StubBackend(rank, size, nullptr, nullptr), version_(version) {}

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>& /*tensors*/,
      const c10d::AllreduceOptions& /*options*/) override {
    std::cout << "mask " << openPluginHost()(version_, getSize(), getRank()) << "\n";
    return c10::make_intrusive<DoneWork>();
  }

 private:
  int version_;
};

void reduceWithPlugin(int version, int rank, int size) {
  auto world = worldOf(rank, size, c10::make_intrusive<PluginBackend>(version, rank, size));
  std::vector<at::Tensor> tensors{at::ones({8})};
  for (int i = 0; i < 3; ++i) {
    world->allreduce(tensors)->wait();
  }
}

} // namespace

int main(int argc, char** argv) {
  const int rank = numberOf("RANK");
  const int size = numberOf("WORLD_SIZE");
  if (argc > 1) {
    const int version = std::atoi(argv[1]);
    argc > 2 ? reduceWithPlugin(version, rank, size) : tellPlugin(version, rank, size);
    return 0;
  }
  if (library() == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  Communicator communicator = initRank(rank, size);
  auto world = joinWorld(rank, size, communicator);
  train(*world);
  callBesideC10d(communicator);
  if (nccl<void>("ncclAllToAll") != nullptr) {
    callOfRccl(communicator);
  }
  makeAndEnd(communicator);
  callByHandle(communicator);
  sayWhatWasCalled();
  return 0;
}
