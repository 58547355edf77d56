// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/timeline.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

constexpr const char* kMaps =
    "55d0c8a00000-55d0c8a02000 r--p 00000000 fe:00 1234      /usr/bin/python3.11\n"
    "7f0000000000-7f0000001000 r-xp 00000000 fe:00 1235      /site/deep_ep_cpp.cpython-311-x86_64-linux-gnu.so\n"
    "7f0000001000-7f0000002000 r--p 00001000 fe:00 1235      /site/deep_ep_cpp.cpython-311-x86_64-linux-gnu.so\n"
    "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"
    "7f0000003000-7f0000004000 r-xp 00000000 fe:00 1236      /site/nvidia/nvshmem/lib/libnvshmem_host.so.3\n"
    "7f0000004000-7f0000005000 r-xp 00000000 fe:00 1237      /site/nvidia/nvshmem/lib/nvshmem_bootstrap_uid.so.3\n"
    "7f0000005000-7f0000006000 r-xp 00000000 fe:00 1238      /deep_ep_cpp/libother.so\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]";

TEST_CASE("libraries whose kernels communicate are found once each; NVSHMEM only if it is used") {
  const std::vector<std::string> wanted{
      "deep_ep_cpp.cpython-311-x86_64-linux-gnu.so",
      "nvshmem_bootstrap_uid.so.3",
  };
  CHECK(UnseenSigns::deviceLibraries(kMaps) == wanted);
  CHECK(UnseenSigns::deviceLibraries("").empty());
  CHECK(UnseenSigns::deviceLibraries("\n\n").empty());
}

/// Returns `reason count detail` of each entry of the ledger.
std::string notSeenOf(const TrackerFixture& fixture) {
  std::string text;
  for (const NotSeenEntry& entry : fixture.report().not_seen) {
    text += entry.reason + " " + std::to_string(entry.count) + " " + entry.detail + "\n";
  }
  return text;
}

void countOp(const char* op) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  CollectiveKey key{};
  key.op = ledger.intern(op);
  key.group = kNoIndex;
  ledger.count(*ledger.row(key), {1, 8});
}

TEST_CASE_FIXTURE(TrackerFixture, "symmetric memory that no op used is a sign, once") {
  const ChildResult child = runInTrackedChild([&] {
    UnseenSigns::resetInForkedChild();
    UnseenSigns::symmetricMemoryExchanged();
    UnseenSigns::symmetricMemoryExchanged();
    countOp("c10d.allreduce_");
    UnseenSigns::noteAll();
    UnseenSigns::noteAll();
    sayLine(notSeenOf(*this));
  });
  CHECK(child.said == "symmetric_memory 2 symmetric_memory::rendezvous\n\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "without symmetric memory, or with an op that used it, there is no sign") {
  const ChildResult unused = runInTrackedChild([&] {
    UnseenSigns::resetInForkedChild();
    UnseenSigns::noteAll();
    sayLine(notSeenOf(*this));
  });
  CHECK(unused.said == "\n");
  const ChildResult counted = runInTrackedChild([&] {
    UnseenSigns::resetInForkedChild();
    UnseenSigns::symmetricMemoryExchanged();
    countOp("symm_mem.one_shot_all_reduce");
    UnseenSigns::noteAll();
    sayLine(notSeenOf(*this));
  });
  CHECK(counted.said == "\n");
}

} // namespace
} // namespace commtap
