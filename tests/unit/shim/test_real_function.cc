// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/real_function.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cerrno>

namespace commtap {
namespace {

/// A library that is not in the global scope, as a Python job's torch.
void* localLibrary() {
  static void* library = dlopen(COMMTAP_STUB, RTLD_LAZY | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  return library;
}

TEST_CASE("a function is found in the libraries behind this one") {
  CHECK(commtap_resolve("getppid", nullptr, "libnothing.so", nullptr) == dlsym(RTLD_DEFAULT, "getppid"));
}

TEST_CASE("a library that is not in the global scope is searched, by its name or without") {
  void* expected = dlsym(localLibrary(), "commtap_test_stub");
  REQUIRE(expected != nullptr);
  CHECK(dlsym(RTLD_DEFAULT, "commtap_test_stub") == nullptr);
  CHECK(commtap_resolve("commtap_test_stub", nullptr, COMMTAP_STUB, nullptr) == expected);
  CHECK(commtap_resolve("commtap_test_stub", nullptr, "libnothing.so", nullptr) == expected);
}

TEST_CASE("the caller's own function is not taken for the real one") {
  void* ours = dlsym(localLibrary(), "commtap_test_stub");
  CHECK(commtap_resolve("commtap_test_stub", nullptr, "libnothing.so", ours) == nullptr);
}

TEST_CASE("a version selects one of two libraries, in the global scope or not, and no other is searched") {
  REQUIRE(dlopen(COMMTAP_FAKE_RUNTIME_13, RTLD_LAZY | RTLD_LOCAL) != nullptr);
  void* twelve = commtap_resolve("cudaGraphLaunch", "libcudart.so.12", "libcudart.so.12", nullptr);
  void* thirteen = commtap_resolve("cudaGraphLaunch", "libcudart.so.13", "libcudart.so.13", nullptr);
  REQUIRE(twelve != nullptr);
  REQUIRE(thirteen != nullptr);
  CHECK(twelve != thirteen);
  CHECK(commtap_resolve("commtap_test_stub", "libcudart.so.12", "libnothing.so", nullptr) == nullptr);
}

TEST_CASE("a search that fails leaves errno and dlerror() as found") {
  errno = 77;
  CHECK(commtap_resolve("commtap_nothing", nullptr, "libnothing.so", nullptr) == nullptr);
  CHECK(errno == 77);
  CHECK(dlerror() == nullptr);
}

TEST_CASE("what was found is kept") {
  void* slot = nullptr;
  void* found = commtap_real(&slot, "getppid", nullptr, "libc.so.6", nullptr);
  CHECK(found != nullptr);
  CHECK(slot == found);
  CHECK(commtap_real(&slot, "commtap_nothing", nullptr, "libnothing.so", nullptr) == found);
}

} // namespace
} // namespace commtap
