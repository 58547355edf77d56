// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python whose process groups call a stub of NCCL: a split group, two groups of the same ranks,
// and hundreds of groups that come and go, each with a communicator of its own, as a job that survives the loss of
// ranks makes them. Prints how often NCCL was called. With "hang", rank 1 never returns from its third reduction in
// NCCL, and rank 0 sleeps after its fifth.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/jobs/native/stub_group.h"

namespace {

using namespace stub;

constexpr int kQuorums = 300;

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

Group groupWith(Communicator communicator, int rank, int size, const std::string& name, const std::string& desc) {
  return groupOf(rank, size, c10::make_intrusive<StubBackend>(rank, size, communicator, nullptr), name, desc);
}

void reduce(const Group& group, int times) {
  std::vector<at::Tensor> tensors{at::ones({8})};
  for (int i = 0; i < times; ++i) {
    group->allreduce(tensors)->wait();
  }
}

Communicator splitOf(Communicator communicator) {
  Communicator made = nullptr;
  nccl<int(Communicator, int, int, Communicator*, void*)>("ncclCommSplit")(communicator, 0, 0, &made, nullptr);
  return made;
}

/// Makes a group for one reduction, and ends it with its communicator.
void comeAndGo(int rank, int size, const std::string& name) {
  Communicator communicator = initRank(rank, size);
  reduce(groupWith(communicator, rank, size, name, "quorum"), 1);
  nccl<int(Communicator)>("ncclCommDestroy")(communicator);
}

void hang(const Group& world, int rank) {
  if (rank == 1) {
    setenv("STUB_NCCL_HANGS", "ncclAllReduce:3", 1);
  }
  reduce(world, 5);
  for (;;) {
    pause();
  }
}

} // namespace

int main(int argc, char** /*argv*/) {
  const int rank = numberOf("RANK");
  const int size = numberOf("WORLD_SIZE");
  if (library() == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  Communicator communicator = initRank(rank, size);
  const Group world = joinWorld(rank, size, communicator);
  if (argc > 1) {
    hang(world, rank);
  }
  const Group split = groupWith(splitOf(communicator), 0, size / 2, "split", "tp");
  const Group one = groupWith(initRank(rank, size), rank, size, "one", "dp");
  const Group other = groupWith(initRank(rank, size), rank, size, "other", "dp");
  reduce(world, 1);
  reduce(split, 2);
  reduce(one, 3);
  reduce(other, 4);
  reduce(world, 5);
  for (int i = 0; i < kQuorums; ++i) {
    comeAndGo(rank, size, "quorum_" + std::to_string(i));
  }
  for (int i = 0; i < kQuorums; ++i) {
    comeAndGo(rank, size, "quorum");
  }
  void* nccl_library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  auto* calls = reinterpret_cast<uint64_t (*)(const char*)>(dlsym(nccl_library, "stub_nccl_calls"));
  std::cout << calls("ncclAllReduce") << "\n";
  return 0;
}
