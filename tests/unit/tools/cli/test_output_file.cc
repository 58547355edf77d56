// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("OutputFile creates the complete file with the permissions of the umask") {
  const TempFolder folder;
  const std::string path = folder / "x.prom";
  writeText(path, "old");
  const mode_t mask = umask(022);
  OutputFile out(path);
  CHECK(out.write("new"));
  CHECK(readText(path) == "old");
  for (const std::string& name : namesIn(folder.path())) {
    CHECK((name == "x.prom" || name.ends_with(".tmp"))); // node_exporter reads *.prom, so no other name may end in it
  }
  CHECK(out.finish().empty());
  umask(mask);
  CHECK(readText(path) == "new");
  CHECK(namesIn(folder.path()).size() == 1);
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0644);
}

TEST_CASE("OutputFile writes into a pipe, which stays one") {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const FileDescriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  OutputFile out(path);
  CHECK(out.write("text"));
  CHECK(out.finish().empty());
  std::array<char, 8> text{};
  CHECK(read(reader.get(), text.data(), text.size()) == 4);
  CHECK(std::string(text.data()) == "text");
  CHECK(namesIn(folder.path()).size() == 1);
  CHECK(isSpecialFile(path));
}

TEST_CASE("OutputFile leaves no file without finish()") {
  const TempFolder folder;
  { CHECK(OutputFile(folder / "x").write("half")); }
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("OutputFile reports a failure in one line with the path") {
  const TempFolder folder;
  OutputFile out(folder / "none/x");
  CHECK_FALSE(out.write("x"));
  CHECK(out.finish() == "cannot create a temporary file for " + (folder / "none/x") + ": No such file or directory");
}

TEST_CASE("a temporary folder is removed with its files once its last owner goes") {
  const TempFolder parent;
  std::optional<TemporaryFolder> last;
  {
    TemporaryFolder first(parent / "work");
    REQUIRE(first.path().starts_with(parent / "work-"));
    writeText(first.path() + "/file", "x");
    last.emplace(std::move(first));
  }
  CHECK(std::filesystem::exists(last->path() + "/file"));
  last.reset();
  CHECK(std::filesystem::is_empty(parent.path()));
}

TEST_CASE("a temporary folder that cannot be made has no path") {
  const TempFolder parent;
  CHECK(TemporaryFolder(parent / "none/work").path().empty());
}

} // namespace

} // namespace commtap
