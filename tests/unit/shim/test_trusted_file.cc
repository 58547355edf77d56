// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/trusted_file.h"

#include "tests/unit/torch_doctest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "report/atomic_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A library with a folder of others below it, as they are installed.
class Installation {
 public:
  Installation() {
    REQUIRE(makeFolders(folder_ / "lib/trackers").empty());
    writeText(stub(), "");
    writeText(tracker(), "");
    for (const char* name : {"lib", "lib/trackers"}) {
      setMode(name, 0755);
    }
    setMode("lib/a.so", 0644);
    setMode("lib/trackers/b.so", 0644);
  }

  std::string stub() const {
    return folder_ / "lib/a.so";
  }
  std::string tracker() const {
    return folder_ / "lib/trackers/b.so";
  }
  void setMode(const char* name, mode_t mode) const {
    REQUIRE(chmod((folder_ / name).c_str(), mode) == 0);
  }
  bool isTrusted() const {
    return commtap_is_trusted(tracker().c_str(), stub().c_str());
  }

 private:
  TempFolder folder_;
};

TEST_CASE("what only its owner may write is trusted, what everyone may write is not") {
  const Installation installation;
  CHECK(installation.isTrusted());
  for (const char* name : {"lib/trackers", "lib/trackers/b.so"}) {
    installation.setMode(name, 0757);
    CHECK_FALSE(installation.isTrusted());
    installation.setMode(name, 0755);
  }
  CHECK(installation.isTrusted());
  installation.setMode("lib", 01777);
  CHECK(installation.isTrusted()); // the library itself lies there
}

TEST_CASE("a group may write where it may write to the library's folder too") {
  const Installation installation;
  installation.setMode("lib/trackers", 0775);
  CHECK_FALSE(installation.isTrusted());
  installation.setMode("lib", 0775);
  CHECK(installation.isTrusted());
  installation.setMode("lib", 0755);
  installation.setMode("lib/a.so", 0664);
  CHECK(installation.isTrusted());
}

TEST_CASE("what is not there, or has no folder, is not trusted") {
  const Installation installation;
  CHECK_FALSE(commtap_is_trusted((installation.tracker() + "x").c_str(), installation.stub().c_str()));
  CHECK_FALSE(commtap_is_trusted(installation.tracker().c_str(), "a.so"));
  REQUIRE(unlink(installation.stub().c_str()) == 0);
  CHECK_FALSE(installation.isTrusted());
}

} // namespace
} // namespace commtap
