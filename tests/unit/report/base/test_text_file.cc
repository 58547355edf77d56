// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/text_file.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

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
  CHECK(readTextFile(folder.path()).error() == folder.path() + " is not a regular file");
}

TEST_CASE("readTextFile waits for no pipe, and reads no device and nothing endless") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(readTextFile(folder / "pipe").error() == (folder / "pipe") + " is not a regular file");
  CHECK(readTextFile("/dev/zero").error() == "/dev/zero is not a regular file");
  CHECK(readTextFile("/proc/self/pagemap", 100'000).error() == "/proc/self/pagemap has more than 100000 bytes");
  CHECK(has(*readTextFile("/proc/self/stat"), "("));
  writeText(folder / "x", "12345");
  CHECK(*readTextFile(folder / "x", 5) == "12345");
  CHECK(readTextFile(folder / "x", 4).error() == (folder / "x") + " has more than 4 bytes");
}

TEST_CASE("a JSON input is refused if its text or what a parser makes of it exceeds the memory") {
  const TempFolder folder;
  const std::string text = "[" + std::string(10'000, ',') + "]";
  writeText(folder / "x", text);
  CHECK(*readInputText(folder / "x", 20'000) == text);
  CHECK(has(readInputText(folder / "x", 5'000).error(), "has 10002 bytes, but --max-file-size is "));
  CHECK(has(readJsonInput(folder / "x", 500'000).error(), (folder / "x") + " may take "));
  CHECK(*readJsonInput(folder / "x", 2'000'000) == text);
}

} // namespace
} // namespace commtap
