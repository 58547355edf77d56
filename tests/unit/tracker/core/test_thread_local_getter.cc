// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/thread_local_getter.h"

#include "tests/unit/torch_doctest.h"

#include <cstring>
#include <thread>
#include <vector>

#include "tracker/core/torch_compat.h"

namespace commtap {
namespace {

/// sub $8,%rsp; lea 0x100(%rip),%rdi; call .+0x20; mov 0x170(%rax),%rax; add $8,%rsp; ret
const std::vector<uint8_t> kFileLocal = {0x48, 0x83, 0xec, 0x08, 0x48, 0x8d, 0x3d, 0x00, 0x01, 0x00,
                                         0x00, 0xe8, 0x20, 0x00, 0x00, 0x00, 0x48, 0x8b, 0x80, 0x70,
                                         0x01, 0x00, 0x00, 0x48, 0x83, 0xc4, 0x08, 0xc3};

/// sub $8,%rsp; call *1(%rip); cmpq $0,(%rax); an instruction of which nothing is known
std::vector<uint8_t> sharedGetter(const void* callee) {
  std::vector<uint8_t> code = {
      0x48, 0x83, 0xec, 0x08, 0xff, 0x15, 0x05, 0x00, 0x00, 0x00, 0x48, 0x83, 0x38, 0x00, 0x90};
  code.resize(code.size() + sizeof(callee));
  std::memcpy(code.data() + 15, static_cast<const void*>(&callee), sizeof(callee));
  return code;
}

TEST_CASE("a getter of a variable of its own file: the argument and callee lie relative to the code") {
  const auto access = decodeThreadLocalGetter(kFileLocal);
  REQUIRE(access);
  CHECK(access->argument == kFileLocal.data() + 11 + 0x100);
  CHECK(access->callee == kFileLocal.data() + 16 + 0x20);
  CHECK(access->offset == 0x170);
}

TEST_CASE("a getter of a variable that others see: the callee is read from the linkage table") {
  const int somewhere = 0;
  const std::vector<uint8_t> code = sharedGetter(&somewhere);
  const auto access = decodeThreadLocalGetter(code);
  REQUIRE(access);
  CHECK(access->callee == &somewhere);
  CHECK(access->argument == nullptr);
  CHECK(access->offset == 0);
}

TEST_CASE("any other code, and code that ends too early, is not understood") {
  const int somewhere = 0;
  for (const std::vector<uint8_t>& known : {kFileLocal, sharedGetter(&somewhere)}) {
    const size_t told_by = known.size() == kFileLocal.size() ? known.size() : 14;
    for (size_t length = 0; length < told_by; ++length) {
      CHECK_FALSE(decodeThreadLocalGetter({known.data(), length}));
    }
  }
  for (size_t i : {0U, 2U, 4U, 6U, 11U, 16U, 18U, 23U, 27U}) { // not what lies between: the numbers
    std::vector<uint8_t> changed = kFileLocal;
    changed[i] ^= 0x01U;
    CHECK_FALSE(decodeThreadLocalGetter(changed));
  }
}

#ifdef __x86_64__
TEST_CASE("torch's own getters are understood, on each thread for that thread") {
  const auto sequenceNumber = [] {
    return static_cast<const uint64_t*>(threadLocalReadBy(reinterpret_cast<const void*>(at::sequence_number::peek)));
  };
  const uint64_t* mine = sequenceNumber();
  REQUIRE(mine != nullptr);
  for (int i = 0; i < 3; ++i) {
    CHECK(*mine == at::sequence_number::peek());
    at::sequence_number::get_and_increment();
  }
  std::thread([&] {
    const uint64_t* other = sequenceNumber();
    REQUIRE(other != nullptr);
    CHECK(other != mine);
    CHECK(*other == 0);
  }).join();
  CHECK(*mine == at::sequence_number::peek());
}
#endif

TEST_CASE("a thread's variables say what torch's getters say, in a backward too") {
  const compat::ThreadVariables variables;
  CHECK_FALSE(variables.inBackward());
  const at::Tensor leaf = at::ones({2}).requires_grad_();
  const uint64_t before = variables.nextSequenceNumber();
  const at::Tensor sum = leaf.mul(2).sum();
  CHECK(variables.nextSequenceNumber() == at::sequence_number::peek());
  CHECK(variables.nextSequenceNumber() > before);
  bool seen = false;
  leaf.register_hook([&](const at::Tensor&) {
    const compat::ThreadVariables engines; // of the thread that runs the backward
    seen = engines.inBackward() && compat::graphTask() >= 0;
  });
  sum.backward();
  CHECK(seen);
  CHECK_FALSE(variables.inBackward());
}

} // namespace
} // namespace commtap
