// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tests/unit/child.h"
#include "tests/unit/samples.h"
#include "tests/unit/shim/fake_c10d.h"
#include "tests/unit/shim/fake_torch.h"
#include "tests/unit/shim/loaded_tables.h"

namespace commtap {
namespace {

int group;
int work;

TEST_CASE("without timing each function is c10d's") {
  fakeEnqueue(&group, &work);
  CHECK(std::string(fake_c10d_last.function) == "enqueue");
  CHECK(fake_c10d_last.object == &group);
  CHECK(fake_c10d_last.work == &work);
  fakeExecute(&work);
  CHECK(std::string(fake_c10d_last.function) == "execute");
  fakeFinalizeBackward(&group);
  CHECK(std::string(fake_c10d_last.function) == "finalize_backward");
  CHECK(fakeWait(&work, 5));
  CHECK(std::string(fake_c10d_last.function) == "wait");
  CHECK(fake_c10d_last.timeout_ms == 5);
  CHECK(fakeSendWait(&work, 6));
  CHECK(std::string(fake_c10d_last.function) == "send_wait");
  CHECK_FALSE(fakeRecvWait(&work, 7));
  CHECK(fake_c10d_last.timeout_ms == 7);
}

std::string& timed() {
  static std::string instance;
  return instance;
}

const commtap_timing* timingTable() {
  static const commtap_timing table = {
      .enqueue =
          [](void (*real)(void*, void*), void* of, void* queued) {
            timed() = "enqueue";
            real(of, queued);
          },
      .execute =
          [](void (*real)(void*), void* run) {
            timed() = "execute";
            real(run);
          },
      .wait =
          [](bool (*real)(void*, long), void* awaited, long timeout_ms) {
            timed() = "wait";
            return real(awaited, timeout_ms + 1);
          },
      .finalize_backward =
          [](void (*real)(void*), void* reducer) {
            timed() = "finalize_backward";
            real(reducer);
          },
  };
  return &table;
}

TEST_CASE("with timing the tracker calls c10d's function") {
  const LoadedTables loaded({nullptr, timingTable(), nullptr, nullptr});
  fakeEnqueue(&group, &work);
  CHECK(timed() == "enqueue");
  CHECK(std::string(fake_c10d_last.function) == "enqueue");
  fakeExecute(&work);
  CHECK(timed() == "execute");
  CHECK(std::string(fake_c10d_last.function) == "execute");
  fakeFinalizeBackward(&group);
  CHECK(timed() == "finalize_backward");
  CHECK_FALSE(fakeRecvWait(&work, 7));
  CHECK(timed() == "wait");
  CHECK(std::string(fake_c10d_last.function) == "recv_wait");
  CHECK(fake_c10d_last.timeout_ms == 8);
}

TEST_CASE("an exception of c10d passes") {
  CHECK_THROWS_WITH(fakeWait(nullptr, 5), "the collective failed");
}

TEST_CASE("torch._C makes the loader look, once, before c10 initializes its log") {
  const TempFolder folder;
  const ChildResult child = runInChild([&] {
    const std::string library = makeFakeTorch(folder.path(), "9.9.1");
    REQUIRE(dlopen(library.c_str(), RTLD_LAZY) != nullptr);
    for (int i = 0; i < 2; ++i) {
      fake_c10d_last = {};
      fakeInitLogging();
      sayLine(fake_c10d_last.function);
    }
  });
  CHECK(child.said.find("torch 9.9.1 is not supported") != std::string::npos);
  const std::string end = "\ninit_logging\ninit_logging\n";
  CHECK(child.said.find(end) == child.said.size() - end.size());
}

int destroyed = 0;

TEST_CASE("the end of all groups is c10d's, and is reported before") {
  fakeUnregisterAll();
  CHECK(fake_c10d_last.function == std::string("unregister_all"));
  commtap_tracker tracker{};
  tracker.groups_destroyed = [] {
    ++destroyed;
    fake_c10d_last = {};
  };
  const LoadedTables loaded({&tracker, nullptr, nullptr, nullptr});
  fakeUnregisterAll();
  CHECK(destroyed == 1);
  CHECK(fake_c10d_last.function == std::string("unregister_all"));
}

int exchanged = 0;

TEST_CASE("an exchange of symmetric memory is c10d's, and is reported once it has succeeded") {
  CHECK(fakeRendezvous(&group, &work, nullptr) == &group);
  CHECK(fake_c10d_last.object == &work);
  commtap_tracker tracker{};
  tracker.symmetric_memory_exchanged = [] { ++exchanged; };
  const LoadedTables loaded({&tracker, nullptr, nullptr, nullptr});
  CHECK_THROWS_AS(fakeRendezvous(&group, nullptr, nullptr), std::runtime_error);
  CHECK(exchanged == 0);
  CHECK(fakeRendezvous(&group, &work, &group) == &group);
  CHECK(fake_c10d_last.work == &group);
#ifdef __x86_64__
  CHECK(exchanged == 1);
#endif
}

} // namespace
} // namespace commtap
