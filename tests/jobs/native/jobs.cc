// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The jobs of this folder in one program, which runs the one that it is started by the name of. Compiling torch's
// headers takes nearly all of the time that the compiler takes for a job. All headers come first, outside of the
// namespaces.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/symm_mem/SymmetricMemory.hpp>
#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include "shim/commtap.h"
#include "tests/cuda/fake_cuda.h"
#include "tests/jobs/native/stub_group.h"

#ifdef USE_C10D_GLOO
namespace job_c_api {
#include "tests/jobs/native/c_api.cc"
}
namespace job_scopes {
#include "tests/jobs/native/scopes.cc"
}
#endif
namespace job_cuda {
#include "tests/jobs/native/cuda.cc"
}
namespace job_native_threads {
#include "tests/jobs/native/native_threads.cc"
}
namespace job_nccl {
#include "tests/jobs/native/nccl.cc"
}
namespace job_nccl_groups {
#include "tests/jobs/native/nccl_groups.cc"
}
namespace job_signs {
#include "tests/jobs/native/signs.cc"
}

int main(int argc, char** argv) {
  const std::map<std::string_view, int (*)(int, char**)> jobs = {
#ifdef USE_C10D_GLOO
      {"c_api", job_c_api::main},
      {"scopes", job_scopes::main},
#endif
      {"cuda", job_cuda::main},
      {"native_threads", job_native_threads::main},
      {"nccl", job_nccl::main},
      {"nccl_groups", job_nccl_groups::main},
      {"signs", job_signs::main},
  };
  const std::string_view path = argv[0];
  const auto found = jobs.find(path.substr(path.rfind('/') + 1));
  return found == jobs.end() ? 2 : found->second(argc, argv);
}
