// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/trusted_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "report/base/atomic_file.h"
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
  /// Why the tracker must not be loaded; "" if it may be.
  std::string refusal() const {
    const char* reason = commtap_load_refusal(tracker().c_str(), stub().c_str());
    return reason == nullptr ? "" : reason;
  }
  bool isTrusted() const {
    return refusal().empty();
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
  CHECK(commtap_load_refusal((installation.tracker() + "x").c_str(), installation.stub().c_str()) != nullptr);
  CHECK(commtap_load_refusal(installation.tracker().c_str(), "a.so") != nullptr);
  REQUIRE(unlink(installation.stub().c_str()) == 0);
  CHECK_FALSE(installation.isTrusted());
}

TEST_CASE("only a regular file is loaded, also through a link") {
  const Installation installation;
  const std::string file = installation.tracker() + ".1";
  REQUIRE(rename(installation.tracker().c_str(), file.c_str()) == 0);
  REQUIRE(symlink(file.c_str(), installation.tracker().c_str()) == 0);
  CHECK(installation.isTrusted());
  REQUIRE(unlink(file.c_str()) == 0);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  CHECK(installation.refusal().find("it is not a regular file") == 0);
}

TEST_CASE("another user's link is refused, whatever it leads to") {
  if (geteuid() != 0) {
    MESSAGE("only root can give a link away");
    return;
  }
  const Installation installation;
  const std::string file = installation.tracker() + ".1";
  REQUIRE(rename(installation.tracker().c_str(), file.c_str()) == 0);
  REQUIRE(symlink(file.c_str(), installation.tracker().c_str()) == 0);
  REQUIRE(lchown(installation.tracker().c_str(), 65534, 65534) == 0);
  CHECK_FALSE(installation.isTrusted());
}

TEST_CASE("the reason says what to do") {
  const Installation installation;
  installation.setMode("lib/trackers/b.so", 0666);
  CHECK(
      installation.refusal() == "another user may have put it there: install commtap where only you or root can write");
}

} // namespace
} // namespace commtap
