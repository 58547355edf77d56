// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/held_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

TEST_CASE("a held file is deleted, by its path and by its name in a folder") {
  const TempFolder folder;
  writeText(folder / "a.json", "a");
  writeText(folder / "b.json", "b");
  CHECK(HeldFile(AT_FDCWD, folder / "a.json").remove().empty());
  const FileDescriptor held(open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  CHECK(HeldFile(held.get(), "b.json").remove().empty());
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a file that took the place of a held file stays, under its name") {
  const TempFolder folder;
  writeText(folder / "a.json", "report");
  const HeldFile file(AT_FDCWD, folder / "a.json");
  fs::rename(folder / "a.json", folder / "moved.json");
  CHECK(file.remove().empty()); // nothing is there
  writeText(folder / "a.json", "mine");
  CHECK(file.remove() == "another file has its name");
  CHECK(readText(folder / "a.json") == "mine");
  fs::remove(folder / "a.json");
  fs::create_symlink("moved.json", folder / "a.json");
  CHECK(file.remove() == "another file has its name");
  CHECK(namesIn(folder.path()) == Names{"a.json", "moved.json"});
}

TEST_CASE("a file that was written to since it was opened stays") {
  const TempFolder folder;
  writeText(folder / "a.json", "report");
  const HeldFile file(AT_FDCWD, folder / "a.json");
  writeText(folder / "a.json", "report and notes");
  CHECK(file.remove() == "it is being written");
  CHECK(readText(folder / "a.json") == "report and notes");
}

TEST_CASE("links, pipes, folders and what is not there are not held") {
  const TempFolder folder;
  writeText(folder / "a", "a");
  fs::create_symlink("a", folder / "link");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const std::string name : {"link", "pipe", "none", ".", ""}) {
    CAPTURE(name);
    CHECK_FALSE(HeldFile(AT_FDCWD, folder / name).isOpen());
    CHECK(errno != 0);
  }
  CHECK(HeldFile(AT_FDCWD, folder / "a").isOpen());
}

TEST_CASE("a name of the longest length is deleted as well") {
  const TempFolder folder;
  for (const std::string& name : {std::string(250, 'a') + ".json", "a." + std::string(253, 'b')}) {
    writeText(folder / name, "a");
    CHECK(HeldFile(AT_FDCWD, folder / name).remove().empty());
  }
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("whatever is swapped in during a deletion keeps its content, and some name") {
  const TempFolder folder;
  writeText(folder / "mine", "mine");
  const std::string path = folder / "a.json";
  std::atomic<bool> ended = false;
  std::thread swapper([&] {
    while (!ended) { // exchanges the two files, wherever the report is
      renameat2(AT_FDCWD, (folder / "mine").c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE);
    }
  });
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    writeText(folder / "new", "report");
    if (renameat2(AT_FDCWD, (folder / "new").c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
      fs::remove(folder / "new");
    }
    const HeldFile file(AT_FDCWD, path);
    if (file.isOpen() && file.facts().st_size == 6) { // the report's
      file.remove();
    }
  }
  ended = true;
  swapper.join();
  int mine = 0;
  for (const std::string& name : namesIn(folder.path())) {
    mine += readText(folder / name) == "mine" ? 1 : 0;
  }
  CHECK(mine == 1);
}

TEST_CASE("a folder is opened by its path below another, never through a link or upwards") {
  const TempFolder folder;
  fs::create_directories(folder / "a/b");
  fs::create_symlink("a", folder / "link");
  const FileDescriptor root(open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::string path : {"", "a", "a/b"}) {
    CAPTURE(path);
    const FileDescriptor found(openFolderBelow(root.get(), path));
    CHECK(found.isOpen());
  }
  for (const std::string path : {"link", "link/b", "..", "a/../a", "none", "a/none"}) {
    CAPTURE(path);
    const FileDescriptor found(openFolderBelow(root.get(), path));
    CHECK_FALSE(found.isOpen());
  }
}

} // namespace
} // namespace commtap
