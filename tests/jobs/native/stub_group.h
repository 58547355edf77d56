// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A process group that calls a stub of NCCL as c10d's does, in a library opened with RTLD_LOCAL.

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace stub {

constexpr int kFloat32 = 7; // ncclFloat32
constexpr int kInt64 = 4;   // ncclInt64

using Communicator = void*;
struct UniqueId {
  char internal[128];
};

inline void* library() {
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

inline void groupStart() {
  nccl<int()>("ncclGroupStart")();
}

inline void groupEnd() {
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
  StubBackend(int rank, int size, Communicator communicator, void* stream)
      : Backend(rank, size), communicator_(communicator), stream_(stream) {}

  const std::string getBackendName() const override {
    return "nccl";
  }

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& /*options*/)
      override {
    at::Tensor& tensor = tensors[0];
    nccl<Reduction>("ncclAllReduce")(
        tensor.data_ptr(), tensor.data_ptr(), tensor.numel(), kFloat32, 0, communicator_, stream_);
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
        stream_);
    return c10::make_intrusive<DoneWork>();
  }

  /// Sends to and receives from every rank, in an NCCL group.
  c10::intrusive_ptr<c10d::Work> alltoall_base(
      at::Tensor& output,
      at::Tensor& input,
      std::vector<int64_t>& /*output_sizes*/,
      std::vector<int64_t>& /*input_sizes*/,
      const c10d::AllToAllOptions& /*options*/) override {
    const auto count = static_cast<size_t>(input.numel() / getSize());
    groupStart();
    for (int peer = 0; peer < getSize(); ++peer) {
      nccl<Transfer>("ncclSend")(input.data_ptr(), count, kFloat32, peer, communicator_, stream_);
      nccl<Transfer>("ncclRecv")(output.data_ptr(), count, kFloat32, peer, communicator_, stream_);
    }
    groupEnd();
    return c10::make_intrusive<DoneWork>();
  }

 private:
  Communicator communicator_;
  void* stream_;
};

inline int numberOf(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

inline Communicator initRank(int rank, int size) {
  Communicator made = nullptr;
  UniqueId id{};
  id.internal[127] = 'x'; // shows that the whole struct is passed by value
  nccl<int(Communicator*, int, UniqueId, int)>("ncclCommInitRank")(&made, size, id, rank);
  return made;
}

/// Returns a group with the name and description.
inline c10::intrusive_ptr<c10d::ProcessGroup> groupOf(
    int rank,
    int size,
    const c10::intrusive_ptr<c10d::Backend>& backend,
    const std::string& name,
    const std::string& description) {
  constexpr auto kType = c10d::ProcessGroup::BackendType::CUSTOM;
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(), rank, size);
  group->setBackend(c10::DeviceType::CPU, kType, backend);
  group->setDefaultBackend(kType);
  group->setGroupName(name);
  group->setGroupDesc(description);
  return group;
}

inline c10::intrusive_ptr<c10d::ProcessGroup>
worldOf(int rank, int size, const c10::intrusive_ptr<c10d::Backend>& backend) {
  return groupOf(rank, size, backend, "0", "default_pg");
}

/// Returns a group whose backend calls NCCL with `communicator` and `stream`.
inline c10::intrusive_ptr<c10d::ProcessGroup>
joinWorld(int rank, int size, Communicator communicator, void* stream = nullptr) {
  return worldOf(rank, size, c10::make_intrusive<StubBackend>(rank, size, communicator, stream));
}

} // namespace stub
