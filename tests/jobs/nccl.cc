// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python whose process group calls NCCL as c10d's does: a stub of it, in a library that is
// opened with RTLD_LOCAL. Says how often NCCL itself was called. With a number: an NCCL that tells that version of its
// profiler plugin.

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shim/commtap.h"

namespace {

constexpr int kFloat32 = 7; // ncclFloat32
constexpr int kInt64 = 4;   // ncclInt64

using Communicator = void*;
struct UniqueId {
  char internal[128];
};

void* library() {
  static void* opened = dlopen(COMMTAP_NCCL_USER, RTLD_NOW | RTLD_LOCAL);
  return opened;
}

template <typename Function>
Function* nccl(const char* name) {
  auto* find = reinterpret_cast<void* (*)(const char*)>(dlsym(library(), "nccl_user_function"));
  return reinterpret_cast<Function*>(find(name));
}

using Reduction = int(const void*, void*, size_t, int, int, Communicator, void*);
using Gathering = int(const void*, void*, size_t, int, Communicator, void*);
using Transfer = int(const void*, size_t, int, int, Communicator, void*);
using Broadcast = int(void*, size_t, int, int, Communicator, void*);

void groupStart() {
  nccl<int()>("ncclGroupStart")();
}

void groupEnd() {
  nccl<int()>("ncclGroupEnd")();
}

class DoneWork : public c10d::Work {
 public:
  bool wait(std::chrono::milliseconds /*timeout*/) override {
    return true;
  }
};

/// Calls NCCL where c10d's own backend does, with host memory.
class StubBackend : public c10d::Backend {
 public:
  StubBackend(int rank, int size, Communicator communicator) : Backend(rank, size), communicator_(communicator) {}

  const std::string getBackendName() const override {
    return "nccl";
  }

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& /*options*/)
      override {
    at::Tensor& tensor = tensors[0];
    nccl<Reduction>("ncclAllReduce")(
        tensor.data_ptr(), tensor.data_ptr(), tensor.numel(), kFloat32, 0, communicator_, nullptr);
    return c10::make_intrusive<DoneWork>();
  }

  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions& options)
      override {
    nccl<Broadcast>("ncclBcast")(
        tensors[0].data_ptr(),
        tensors[0].numel(),
        kFloat32,
        static_cast<int>(options.rootRank),
        communicator_,
        nullptr);
    return c10::make_intrusive<DoneWork>();
  }

  /// As sends and receives in a group.
  c10::intrusive_ptr<c10d::Work> alltoall_base(
      at::Tensor& output,
      at::Tensor& input,
      std::vector<int64_t>& /*output_sizes*/,
      std::vector<int64_t>& /*input_sizes*/,
      const c10d::AllToAllOptions& /*options*/) override {
    const auto count = static_cast<size_t>(input.numel() / getSize());
    groupStart();
    for (int peer = 0; peer < getSize(); ++peer) {
      nccl<Transfer>("ncclSend")(input.data_ptr(), count, kFloat32, peer, communicator_, nullptr);
      nccl<Transfer>("ncclRecv")(output.data_ptr(), count, kFloat32, peer, communicator_, nullptr);
    }
    groupEnd();
    return c10::make_intrusive<DoneWork>();
  }

 private:
  Communicator communicator_;
};

int numberOf(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

Communicator initRank(int rank, int size) {
  Communicator made = nullptr;
  UniqueId id{};
  id.internal[127] = 'x'; // passed by value, to its end
  nccl<int(Communicator*, int, UniqueId, int)>("ncclCommInitRank")(&made, size, id, rank);
  return made;
}

c10::intrusive_ptr<c10d::ProcessGroup> joinWorld(int rank, int size, Communicator communicator) {
  constexpr auto kType = c10d::ProcessGroup::BackendType::CUSTOM;
  auto world = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(), rank, size);
  world->setBackend(c10::DeviceType::CPU, kType, c10::make_intrusive<StubBackend>(rank, size, communicator));
  world->setDefaultBackend(kType);
  world->setGroupName("0");
  world->setGroupDesc("default_pg");
  return world;
}

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

/// What calls NCCL itself, as inference engines do.
void callBesideC10d(Communicator communicator) {
  float buffer[8] = {};
  commtap_scope_push("Engine");
  nccl<Gathering>("ncclAllGather")(buffer, buffer, 2, kFloat32, communicator, nullptr);
  nccl<Reduction>("ncclReduceScatter")(buffer, buffer, 2, kInt64, 0, communicator, nullptr);
  nccl<Reduction>("ncclAllReduce")(buffer, buffer, 2, kFloat32, 0, nullptr, nullptr); // fails: no communicator
  commtap_scope_pop();
}

/// One that is made in the background, and one that takes the place of another that has ended.
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

/// Not seen by commtap: the address comes from the library itself.
void callByHandle(Communicator communicator) {
  void* nccl_library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  float buffer[1] = {};
  auto* reduce = reinterpret_cast<Reduction*>(dlsym(nccl_library, "ncclAllReduce"));
  reduce(buffer, buffer, 1, kFloat32, 0, communicator, nullptr);
}

void sayWhatWasCalled() {
  void* nccl_library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
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
        "ncclCommDestroy"}) {
    std::cout << name << " " << calls(name) << "\n";
  }
}

/// An NCCL of this version that does not come by, and tells its profiler plugin. Twice: what one communicator leaves
/// behind must not become the next one's.
int tellPlugin(int version, int rank, int size) {
  void* host = dlopen(COMMTAP_PLUGIN_HOST, RTLD_NOW | RTLD_LOCAL);
  if (host == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  auto* play = reinterpret_cast<int (*)(int, int, int)>(dlsym(host, "plugin_host_play"));
  commtap_scope_push("Engine");
  std::cout << "mask " << play(version, size, rank) << "\n";
  std::cout << "mask " << play(version, size * 2, rank) << "\n";
  commtap_scope_pop();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const int rank = numberOf("RANK");
  const int size = numberOf("WORLD_SIZE");
  if (argc > 1) {
    return tellPlugin(std::atoi(argv[1]), rank, size);
  }
  if (library() == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  Communicator communicator = initRank(rank, size);
  auto world = joinWorld(rank, size, communicator);
  train(*world);
  callBesideC10d(communicator);
  makeAndEnd(communicator);
  callByHandle(communicator);
  sayWhatWasCalled();
  return 0;
}
