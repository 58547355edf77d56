// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/loader.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>

#include "shim/built_tracker.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"
#include "tests/unit/shim/fake_torch.h"
#include "tests/unit/shim/loaded_tables.h"

namespace commtap {
namespace {

TEST_CASE("a signal of this process to itself that ends it") {
  CHECK_FALSE(commtap_is_self_signal(getpid(), SIGUSR2)); // no tracker has anything to finish
  const LoadedTables loaded({&sayingTracker(), nullptr, nullptr, nullptr, nullptr});
  CHECK(commtap_is_self_signal(getpid(), SIGUSR2));
  CHECK(commtap_is_self_signal(getpid(), SIGKILL));
  CHECK_FALSE(commtap_is_self_signal(getppid(), SIGUSR2));
  for (const int harmless : {0, -1, SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    CHECK_FALSE(commtap_is_self_signal(getpid(), harmless));
  }
}

TEST_CASE("a signal that the job handles or ignores does not end it") {
  const LoadedTables loaded({&sayingTracker(), nullptr, nullptr, nullptr, nullptr});
  const auto before = signal(SIGUSR1, SIG_IGN);
  CHECK_FALSE(commtap_is_self_signal(getpid(), SIGUSR1));
  signal(SIGUSR1, before);
  CHECK(commtap_is_self_signal(getpid(), SIGUSR1));
}

/// Returns the folder that the loader searches for the tracker: next to the library, which is the test program here.
std::string trackersFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "trackers";
}

class InstalledTracker {
 public:
  InstalledTracker() {
    const mode_t before = umask(022);
    std::filesystem::create_directories(trackersFolder());
    copyFile(COMMTAP_FAKE_TRACKER, path());
    umask(before);
  }
  InstalledTracker(const InstalledTracker&) = delete;
  InstalledTracker& operator=(const InstalledTracker&) = delete;
  ~InstalledTracker() {
    std::filesystem::remove_all(trackersFolder());
  }
  static std::string path() {
    return trackersFolder() + "/libcommtap-tracker-9.9.so";
  }
};

void loadTorch(const std::string& path) {
  REQUIRE(dlopen(path.c_str(), RTLD_LAZY) != nullptr);
}

TEST_CASE("the tracker that fits is started once, and finished with errno as found") {
  const TempFolder folder;
  const InstalledTracker tracker;
  const ChildResult child = runInChild([&] {
    loadTorch(makeFakeTorch(folder.path(), "9.9.1+cpu"));
    errno = 77;
    commtap_on_torch_loaded();
    commtap_on_torch_loaded();
    commtap_process_ends(COMMTAP_EXIT_SIGNAL, 9);
    sayLine("errno " + std::to_string(errno));
    ::commtap_loaded = {};
  });
  CHECK(child.said == "start 9.9.1+cpu at a time\nquestions given\nfinish 3 9\nerrno 77\n");
}

TEST_CASE("a tracker that does not start, or stays off, is not called again; a line says that it did not start") {
  const TempFolder folder;
  const InstalledTracker tracker;
  for (const bool stays_off : {false, true}) {
    const ChildResult child = runInChild([&] {
      setenv("FAKE_TRACKER_STARTS", stays_off ? "2" : "1", 1);
      loadTorch(makeFakeTorch(folder.path(), "9.9.1"));
      commtap_on_torch_loaded();
      commtap_process_ends(COMMTAP_EXIT_SIGNAL, 9);
    });
    CHECK(child.said.find("start 9.9.1 at a time\n") == 0);
    CHECK(child.said.find("questions") == std::string::npos);
    CHECK(child.said.find("finish") == std::string::npos);
    CHECK((child.said.find("could not start") == std::string::npos) == stays_off);
  }
}

TEST_CASE("a process that has torch from the start loads the tracker in the constructor") {
  const TempFolder folder;
  const InstalledTracker tracker;
  const ChildResult child = runInChild([&] {
    loadTorch(makeFakeTorch(folder.path(), "9.9.1"));
    commtap_process_started();
    ::commtap_loaded = {};
  });
  CHECK(child.said == "start 9.9.1 at a time\nquestions given\n");
}

TEST_CASE("a line at the end of the process names a torch that no hook has noticed") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "9.9.1");
  ChildResult child = runInChild([&] {
    commtap_process_exits(); // without torch
    sayLine("loaded");
    loadTorch(library);
    errno = 77;
    commtap_process_exits();
    sayLine("errno " + std::to_string(errno));
  });
  CHECK(child.said.find("loaded\n[commtap pid ") == 0);
  CHECK(
      child.said.find(library + " was loaded, and commtap was not called: the process ended while it imported torch") !=
      std::string::npos);
  CHECK(child.said.find("\nerrno 77\n") != std::string::npos);

  child = runInChild([&] {
    loadTorch(library);
    commtap_on_torch_loaded();
    sayLine("noticed");
    commtap_process_exits();
  });
  CHECK(child.said.rfind("\nnoticed\n") == child.said.size() - std::string("\nnoticed\n").size());
}

TEST_CASE("COMMTAP=0 switches the loader off, another value does not") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "9.9.1");
  for (const char* value : {"0", "off", "false", "no", "1"}) {
    const ChildResult child = runInChild([&] {
      setenv("COMMTAP", value, 1);
      loadTorch(library);
      commtap_process_started();
    });
    CHECK(child.said.empty() == (std::string(value) != "1"));
  }
}

TEST_CASE("a line names the torch that has no tracker, and what to install") {
  const TempFolder folder;
  const ChildResult child = runInChild([&] {
    loadTorch(makeFakeTorch(folder.path(), "9.9.1+cu130"));
    commtap_on_torch_loaded();
  });
  CHECK(child.said.find("torch 9.9.1+cu130 is not supported: ") != std::string::npos);
  CHECK(child.said.find("/trackers/libcommtap-tracker-9.9.so does not exist") != std::string::npos);
  CHECK(
      child.said.find(
          "install a commtap that has the tracker for torch 9.9, or make one (`commtap build-tracker`); nothing is "
          "counted: run `commtap doctor`\n") != std::string::npos);
}

/// Returns what is said when a torch of this version is loaded, with the tracker for torch 9.9 installed.
std::string saidOf(const std::string& version, const char* torch_option) {
  const TempFolder folder;
  const InstalledTracker tracker;
  return runInChild([&] {
           if (torch_option != nullptr) {
             setenv("COMMTAP_TORCH", torch_option, 1);
           }
           loadTorch(makeFakeTorch(folder.path(), version));
           commtap_on_torch_loaded();
           ::commtap_loaded = {};
         })
      .said;
}

TEST_CASE("a torch that is no release is refused, unless the user takes it by force") {
  const std::string nightly = "9.9.0.dev20261001+cpu";
  for (const char* option : {static_cast<const char*>(nullptr), "", "releases", "forced"}) {
    const std::string said = saidOf(nightly, option);
    CHECK(
        said.find(
            "torch " + nightly +
            " is not a release, and may differ from torch 9.9: install a release of torch, make a tracker for "
            "it (`commtap build-tracker`), or try it with COMMTAP_TORCH=force; nothing is counted: run `commtap "
            "doctor`\n") != std::string::npos);
    CHECK(said.find("start") == std::string::npos);
  }
  CHECK(saidOf(nightly, "force") == "start " + nightly + " at a time\nquestions given\n");
  CHECK(saidOf("9.9.0", "force") == "start 9.9.0 at a time\nquestions given\n");
}

TEST_CASE("a tracker that the user built for exactly this torch comes before the installed one") {
  const TempFolder folder;
  const InstalledTracker installed;
  const TempFolder home;
  REQUIRE(setenv("XDG_CACHE_HOME", home.path().c_str(), 1) == 0);
  const std::string nightly = "9.9.0.dev20261001+cpu";
  std::array<char, 4096> path{};
  REQUIRE(commtap_built_tracker_path(nightly.c_str(), path.data(), path.size()));
  const std::filesystem::path built = path.data();
  const mode_t before = umask(077);
  std::filesystem::create_directories(built.parent_path());
  copyFile(COMMTAP_FAKE_TRACKER, built);
  umask(before);
  CHECK(saidOf(nightly, nullptr) == "start " + nightly + " at a time\nquestions given\n");
  CHECK(saidOf("9.9.0.dev20261002+cpu", nullptr).find("is not a release") != std::string::npos);
  REQUIRE(chmod(built.c_str(), 0666) == 0); // anyone may have written it
  CHECK(saidOf(nightly, nullptr).find("is not a release") != std::string::npos);
  copyFile(COMMTAP_OTHER_TRACKER, built);
  REQUIRE(chmod(built.c_str(), 0600) == 0);
  CHECK(saidOf(nightly, nullptr).find("is not a tracker of this version of commtap") != std::string::npos);
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("a line says that torch has no version") {
  const TempFolder folder;
  const ChildResult child = runInChild([&] {
    loadTorch(makeFakeTorch(folder.path(), "unknown"));
    commtap_on_torch_loaded();
  });
  CHECK(child.said.find("the version of this torch is unknown") != std::string::npos);
}

TEST_CASE("a FIFO in place of the tracker is not opened") {
  const TempFolder folder;
  const InstalledTracker tracker;
  std::filesystem::remove(InstalledTracker::path());
  REQUIRE(mkfifo(InstalledTracker::path().c_str(), 0600) == 0);
  const ChildResult child = runInChild([&] {
    alarm(20); // ends a child that waits for a writer
    loadTorch(makeFakeTorch(folder.path(), "9.9.1"));
    commtap_on_torch_loaded();
  });
  CHECK(child.status == 0);
  CHECK(child.said.find(InstalledTracker::path() + " is not loaded: it is not a regular file") != std::string::npos);
}

} // namespace
} // namespace commtap
