// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/default_folder.h"

#include <doctest/doctest.h>

#include <cstdlib>

namespace commtap {
namespace {

std::string folderFor(const char* out) {
  out == nullptr ? unsetenv("COMMTAP_OUT") : setenv("COMMTAP_OUT", out, 1);
  std::string folder = defaultFolder();
  unsetenv("COMMTAP_OUT");
  return folder;
}

TEST_CASE("the default folder is that of COMMTAP_OUT, up to what differs between processes") {
  CHECK(folderFor(nullptr) == "commtap-out");
  CHECK(folderFor("") == "commtap-out");
  CHECK(folderFor("/data/out") == "/data/out");
  CHECK(folderFor("/data/%j/rank%r") == "/data");
  CHECK(folderFor("/data/run-%j") == "/data");
  CHECK(folderFor("/data/50%%/out") == "/data/50%/out");
  CHECK(folderFor("%h/out") == ".");
  CHECK(folderFor("/%j") == "/");
}

} // namespace
} // namespace commtap
