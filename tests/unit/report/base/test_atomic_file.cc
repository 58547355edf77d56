// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/atomic_file.h"

#include <cerrno>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/child.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("AtomicFile writes a file atomically with mode 0600 and replaces an old one") {
  const TempFolder folder;
  CHECK(writeFileAtomically(folder / "x.json", "first").empty());
  CHECK(writeFileAtomically(folder / "x.json", "second").empty());
  CHECK(readText(folder / "x.json") == "second");
  struct stat info {};
  REQUIRE(stat((folder / "x.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"x.json"});
}

TEST_CASE("AtomicFile names the path and the reason if it cannot write") {
  const TempFolder folder;
  writeText(folder / "file", "");
  CHECK(writeFileAtomically(folder / "file/x", "a").find(folder / "file/x: Not a directory") != std::string::npos);
  CHECK(writeFileAtomically(folder / "none/x", "a").find("No such file or directory") != std::string::npos);
  CHECK_FALSE(writeFileAtomically("/proc/commtap.json", "a").empty());
}

TEST_CASE("AtomicFile replaces no pipe and no device") {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(writeFileAtomically(path, "a") == path + " is not a regular file");
  CHECK(isSpecialFile(path));
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"pipe"});
  CHECK(isSpecialFile("/dev/null"));
  CHECK(isSpecialFile("/dev/stdout"));
  CHECK_FALSE(isSpecialFile(folder.path()));
  CHECK_FALSE(isSpecialFile(folder / "missing"));
}

TEST_CASE("AtomicFile leaves the target unchanged and no temporary file if writing fails") {
  const TempFolder folder;
  CHECK(makeFolders(folder / "x.json/below").empty());
  CHECK(writeFileAtomically(folder / "x.json", "a").find("cannot write " + (folder / "x.json")) == 0);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"x.json"});
}

TEST_CASE("AtomicFile appends pieces; the file gets its name, which commit() chooses, once it is complete") {
  const TempFolder folder;
  AtomicFile file(folder / "x");
  file.append("ab");
  file.append("");
  file.append("cd");
  CHECK(access((folder / "y").c_str(), F_OK) != 0);
  CHECK(file.commit(folder / "y").empty());
  CHECK(readText(folder / "y") == "abcd");
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"y"});
}

TEST_CASE("AtomicFile removes its file without commit()") {
  const TempFolder folder;
  {
    AtomicFile file(folder / "x");
    file.append("ab");
    CHECK(namesIn(folder.path()).size() == 1);
  }
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("AtomicFile refuses a file beyond the size limit without raising SIGXFSZ") {
  const TempFolder folder;
  checkInChild([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string error;
    {
      AtomicFile file(folder / "x.json");
      file.append(std::string(4'000, 'x'));
      file.append(std::string(4'000, 'x'));
      error = file.commit(folder / "x.json");
    }
    return error.find("File too large") != std::string::npos;
  });
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("makeFolders creates missing parents") {
  const TempFolder folder;
  CHECK(makeFolders(folder / "a/b/c").empty());
  CHECK(makeFolders(folder / "a/b/c").empty());
  CHECK(makeFolders(folder / "a//d/").empty());
  writeText(folder / "file", "");
  CHECK(makeFolders(folder / "file").find("is not a folder") != std::string::npos);
  CHECK(makeFolders(folder / "file/a").find("Not a directory") != std::string::npos);
  CHECK_FALSE(makeFolders("/proc/commtap").empty());
}

TEST_CASE("makeFolders rejects another user's folder in a world-writable one, but not root's or our own") {
  const TempFolder folder;
  REQUIRE(makeFolders(folder / "shared/own").empty());
  REQUIRE(chmod((folder / "shared").c_str(), 01777) == 0);
  CHECK(makeFolders(folder / "shared/own/a").empty());
  CHECK(makeFolders(folder / "shared/new/a").empty());
  if (geteuid() != 0) {
    MESSAGE("skipped: only root can give a file to another user");
    return;
  }
  REQUIRE(makeFolders(folder / "shared/others").empty());
  REQUIRE(symlink(folder.path().c_str(), (folder / "shared/link").c_str()) == 0);
  constexpr uid_t kOther = 12345;
  for (const char* name : {"shared/others", "shared/link"}) {
    REQUIRE(lchown((folder / name).c_str(), kOther, kOther) == 0);
    CHECK(makeFolders((folder / name) + "/a").find("belongs to another user") != std::string::npos);
  }
  REQUIRE(chmod((folder / "shared").c_str(), 0755) == 0);
  CHECK(makeFolders(folder / "shared/others/a").empty());
}

TEST_CASE("makeFolders never creates a world-writable folder") {
  const TempFolder folder;
  const mode_t mask = umask(0);
  CHECK(makeFolders(folder / "a").empty());
  umask(mask);
  struct stat info {};
  REQUIRE(stat((folder / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0775);
}

TEST_CASE("a new file replaces nothing, and can get another name") {
  const TempFolder folder;
  writeText(folder / "taken", "before");
  AtomicFile file(folder / "taken");
  file.append("content");
  bool is_taken = false;
  CHECK(file.commitNew(folder / "taken", is_taken) == folder / "taken exists");
  CHECK(is_taken);
  CHECK(file.commitNew(folder / "free", is_taken).empty());
  CHECK_FALSE(is_taken);
  CHECK(readText(folder / "taken") == "before");
  CHECK(readText(folder / "free") == "content");
}

TEST_CASE("a new file leaves no temporary file") {
  const TempFolder folder;
  writeText(folder / "taken", "before");
  for (const char* name : {"taken", "free"}) {
    AtomicFile file(folder / name);
    file.append("content");
    bool is_taken = false;
    file.commitNew(folder / name, is_taken);
  }
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"free", "taken"});
}

TEST_CASE("isAllowedFileSize accepts sizes up to the limit") {
  CHECK(isAllowedFileSize(1ULL << 40U));
  checkInChild([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    return isAllowedFileSize(4096) && !isAllowedFileSize(4097) && errno == EFBIG;
  });
}

} // namespace
} // namespace commtap
