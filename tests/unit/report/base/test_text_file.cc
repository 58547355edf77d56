// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/text_file.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("readTextFile returns all bytes of a file") {
  const TempFolder folder;
  const std::string bytes = std::string(200'000, 'x') + std::string("\0\xff\n", 3);
  writeText(folder / "x", bytes);
  CHECK(*readTextFile(folder / "x") == bytes);
}

TEST_CASE("readTextFile names the file and the reason in its error") {
  const TempFolder folder;
  CHECK(readTextFile(folder / "none").error() == (folder / "none") + " cannot be opened: No such file or directory");
  CHECK(readTextFile(folder.path()).error() == folder.path() + " cannot be read: Is a directory");
}

} // namespace
} // namespace commtap
