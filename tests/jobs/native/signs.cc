// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python that shows signs of communication which nothing can count. Arguments: `symmetric` makes
// the ranks exchange a tensor of symmetric memory; a path is a library to load.

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include <torch/csrc/distributed/c10d/symm_mem/SymmetricMemory.hpp>

#include "tests/jobs/native/stub_group.h"

namespace {

namespace symm = c10d::symmetric_memory;

/// Symmetric memory of one rank, in host memory.
class HostAllocator final : public symm::SymmetricMemoryAllocator {
 public:
  void* alloc(size_t size, int /*device*/, const std::optional<std::string>& /*group*/) override {
    return std::malloc(size);
  }
  void free(void* memory) override {
    std::free(memory);
  }
  size_t get_alloc_size(void* /*memory*/) override {
    return 0;
  }
  c10::intrusive_ptr<symm::SymmetricMemory> rendezvous(void* memory, const std::optional<std::string>& group) override {
    std::cout << "exchanged " << (memory != nullptr) << " in " << group.value_or("no group") << "\n";
    return {};
  }
  bool has_multicast_support(int /*device*/) override {
    return false;
  }
  c10::DeviceType supported_device_type() override {
    return c10::DeviceType::CPU;
  }
  std::string name() override {
    return "HOST";
  }
};

class SilentBackend final : public c10d::Backend {
 public:
  using Backend::Backend;
  const std::string getBackendName() const override {
    return "silent";
  }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override {
    return c10::make_intrusive<stub::DoneWork>();
  }
};

} // namespace

int main(int argc, char** argv) {
  auto backend = c10::make_intrusive<SilentBackend>(stub::numberOf("RANK"), stub::numberOf("WORLD_SIZE"));
  auto world = stub::worldOf(backend->getRank(), backend->getSize(), backend);
  std::vector<at::Tensor> tensors{at::ones({8})};
  world->allreduce(tensors)->wait();
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "symmetric") {
      symm::register_allocator(c10::DeviceType::CPU, c10::make_intrusive<HostAllocator>());
      std::cout << "handle " << (symm::rendezvous(tensors[0], "0") != nullptr) << "\n";
    } else if (dlopen(argv[i], RTLD_NOW) == nullptr) {
      std::cerr << dlerror() << "\n";
      return 2;
    }
  }
  return 0;
}
