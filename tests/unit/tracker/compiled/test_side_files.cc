// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/side_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

const std::string kKey = "cabcdefghijklmnopqrstuvwxyz234567";
const std::string kLines = "107\t108\tf\tL['self'].a\n";

fs::path ownFolder(const TempFolder& cache) {
  return fs::path(cache.path()) / ("commtap-" + std::to_string(geteuid()));
}

fs::path fileOf(const TempFolder& cache) {
  return ownFolder(cache) / (kKey + ".txt");
}

TEST_CASE("a later process reads what one has written") {
  const TempFolder cache;
  CHECK_FALSE(SideFiles(cache.path()).read(kKey));
  CHECK(SideFiles(cache.path()).write(kKey, kLines) == "");
  CHECK(SideFiles(cache.path()).read(kKey) == kLines);
  CHECK_FALSE(SideFiles(cache.path()).read("c" + kKey));
  CHECK((fs::status(ownFolder(cache)).permissions() & fs::perms::all) == fs::perms::owner_all);
}

TEST_CASE("a file that was cut off, changed or renamed is ignored, and written again") {
  const TempFolder cache;
  const SideFiles files(cache.path());
  REQUIRE(files.write(kKey, kLines) == "");
  std::ifstream stream(fileOf(cache));
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(fileOf(cache)) << whole.substr(0, size);
    CHECK_FALSE(files.read(kKey));
    std::string changed = whole;
    changed[size] ^= 1;
    std::ofstream(fileOf(cache)) << changed;
    CHECK_FALSE(files.read(kKey));
  }
  fs::rename(fileOf(cache), ownFolder(cache) / "cother.txt");
  CHECK_FALSE(files.read("cother"));
  CHECK(files.write(kKey, kLines) == "");
  CHECK(files.read(kKey) == kLines);
}

TEST_CASE("a folder that others can write to is not used, and no link is followed") {
  const TempFolder cache;
  const SideFiles files(cache.path());
  REQUIRE(files.write(kKey, kLines) == "");
  fs::permissions(ownFolder(cache), fs::perms::group_write, fs::perm_options::add);
  CHECK_FALSE(files.read(kKey));
  CHECK(files.write("cother", kLines) != "");
  fs::permissions(ownFolder(cache), fs::perms::group_write, fs::perm_options::remove);
  REQUIRE(files.read(kKey));

  fs::rename(fileOf(cache), fs::path(cache.path()) / "elsewhere");
  fs::create_symlink(fs::path(cache.path()) / "elsewhere", fileOf(cache));
  CHECK_FALSE(files.read(kKey));

  fs::rename(ownFolder(cache), fs::path(cache.path()) / "moved");
  fs::create_directory_symlink(fs::path(cache.path()) / "moved", ownFolder(cache));
  CHECK(files.write(kKey, kLines) != "");
}

TEST_CASE("a key is a file's name, and no path") {
  const TempFolder cache;
  for (const char* const key : {"", "../x", "a/b", ".", "a b"}) {
    CHECK(SideFiles(cache.path()).write(key, kLines) != "");
    CHECK_FALSE(SideFiles(cache.path()).read(key));
  }
}

TEST_CASE("the oldest files make room for new ones") {
  const TempFolder cache;
  const SideFiles files(cache.path());
  REQUIRE(files.write(kKey, kLines) == "");
  for (size_t i = 2; i < SideFiles::kMost; ++i) { // with the two others, as many as may be
    std::ofstream(ownFolder(cache) / ("c" + std::to_string(i) + ".txt")) << "";
  }
  const fs::path temporary = ownFolder(cache) / (kKey + ".txt.Ab12Cd.tmp"); // a killed process's
  const fs::path notes = ownFolder(cache) / "my notes.txt";
  for (const fs::path& path : {fileOf(cache), temporary, notes}) {
    std::ofstream(path, std::ios::app) << "";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  REQUIRE(files.write("cnew", kLines) == "");
  CHECK(files.read("cnew") == kLines);
  CHECK_FALSE(files.read(kKey));
  CHECK_FALSE(fs::exists(temporary));
  CHECK(fs::exists(notes));
  fs::remove(notes);
  const auto left = std::distance(fs::directory_iterator(ownFolder(cache)), fs::directory_iterator());
  CHECK(static_cast<size_t>(left) <= SideFiles::kMost / 2 + 1);
}

} // namespace
} // namespace commtap
