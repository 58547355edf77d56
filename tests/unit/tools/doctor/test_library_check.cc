// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/library_check.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/samples.h"
#include "tests/unit/tools/command/elf_sample.h"

namespace commtap {
namespace {

class LibraryFixture {
 public:
  void put(const std::string& name, const ElfSample& sample) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    writeText(folder / name, sample.bytes());
  }

  TempFolder folder;
};

TEST_CASE_FIXTURE(LibraryFixture, "torch must define each function of c10d that the stub interposes") {
  put("stub.so", {0, "", {}, {"_ZN4c10d1aEv", "_ZN4c10d1bEv", "dlopen"}, {}});
  put("good.so", {0, "", {}, {"_ZN4c10d1aEv", "_ZN4c10d1bEv", "_ZN4c10d1cEv"}, {}});
  const Diagnosis good = checkSymbols(folder / "stub.so", folder / "good.so");
  CHECK(good.health == Health::kOk);
  CHECK(good.found == "torch has all 2 functions of c10d");
  put("other.so", {0, "", {}, {"_ZN4c10d1aEv"}, {"_ZN4c10d1bEv"}});
  const Diagnosis missing = checkSymbols(folder / "stub.so", folder / "other.so");
  CHECK(missing.health == Health::kWarning);
  CHECK(has(missing.found, "torch lacks _ZN4c10d1bEv"));
  CHECK(checkSymbols(folder / "stub.so", folder / "none.so").health == Health::kError);
}

TEST_CASE_FIXTURE(LibraryFixture, "NCCL is found where torch's wheels have it") {
  CHECK(checkNccl(folder / "lib", {}).found == "this torch has no library for GPUs, and calls no NCCL");
  put("lib/libtorch_cuda.so", {0, "", {"libc10.so", "libnccl.so.2"}, {}, {"ncclAllReduce"}});
  CHECK(has(checkNccl(folder / "lib", {}).found, "libnccl.so.2, which the dynamic linker finds"));
  put("nvidia/nccl/lib/libnccl.so.2", {});
  const Diagnosis wheel = checkNccl(folder / "lib", {folder / "nvidia"});
  CHECK(wheel.health == Health::kOk);
  CHECK(has(wheel.found, folder / "nvidia/nccl/lib/libnccl.so.2"));
  put("lib/libnccl.so.2", {});
  CHECK(has(checkNccl(folder / "lib", {folder / "nvidia"}).found, folder / "lib/libnccl.so.2"));
}

TEST_CASE_FIXTURE(LibraryFixture, "an NCCL inside torch's library is a warning") {
  put("lib/libtorch_cuda.so", {0, "", {"libc10.so"}, {"ncclAllReduce"}, {}});
  const Diagnosis inside = checkNccl(folder / "lib", {});
  CHECK(inside.health == Health::kWarning);
  CHECK(has(inside.found, "NCCL is linked into libtorch_cuda.so"));
}

TEST_CASE_FIXTURE(LibraryFixture, "RCCL is found as NCCL is") {
  put("lib/libtorch_hip.so", {0, "", {"librccl.so.1"}, {}, {}});
  put("lib/librccl.so.1", {});
  CHECK(has(checkNccl(folder / "lib", {}).found, folder / "lib/librccl.so.1"));
}

} // namespace
} // namespace commtap
