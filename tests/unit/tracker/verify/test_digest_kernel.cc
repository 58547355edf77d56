// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "report/base/checksum.h"

namespace commtap {
namespace {

std::string textOf(const std::string& name) {
  std::ifstream file(COMMTAP_SOURCE_ROOT "/tracker/verify/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the PTX is of the kernel's sources: if not, run ./dev kernel") {
  Checksum checksum;
  for (const char* name : {"digest_terms.h", "digest_kernel.h", "digest_kernel.cu"}) {
    const std::string text = textOf(name);
    CAPTURE(name);
    CHECK(!text.empty());
    checksum.add(text);
  }
  const std::string made_of = "texts whose Checksum is " + std::to_string(checksum.value()) + ".\n";
  CHECK(textOf("digest_kernel.ptx").find(made_of) != std::string::npos);
}

TEST_CASE("any GPU since compute capability 7.0 runs the kernel, with the driver of CUDA 11.7 or later") {
  const std::string ptx = textOf("digest_kernel.ptx");
  CHECK(ptx.find("\n.version 7.7\n") != std::string::npos);
  CHECK(ptx.find("\n.target sm_70\n") != std::string::npos);
  CHECK(ptx.find(".visible .entry commtapDigests(") != std::string::npos);
}

} // namespace
} // namespace commtap
