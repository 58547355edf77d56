// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/base/process.h"
#include "report/ledger/ledger_layout.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kGiB = 1ULL << 30U;

TEST_CASE("the deepest folder that exists is found") {
  const TempFolder folder;
  CHECK(deepestFolder(folder / "a/b") == folder.path());
  CHECK(deepestFolder(folder.path()) == folder.path());
  CHECK(deepestFolder("/nowhere-at-all/x") == "/");
  CHECK(deepestFolder("nowhere-at-all/x") == ".");
  writeText(folder / "file", "");
  CHECK(deepestFolder(folder / "file/x") == folder.path());
}

TEST_CASE("a folder that can be made or written to is good, and nothing is left in it") {
  const TempFolder folder;
  for (const std::string& out : {folder.path(), folder / "a/b/c"}) {
    const Diagnosis diagnosis = checkOutput(out);
    CHECK(diagnosis.health != Health::kError);
    CHECK(diagnosis.found.starts_with(out + " can be written to, on "));
  }
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a folder that cannot be made or written to is an error with the reason") {
  const TempFolder folder;
  writeText(folder / "file", "");
  const Diagnosis blocked = checkOutput(folder / "file/out");
  CHECK(blocked.health == Health::kError);
  CHECK(has(blocked.found, folder / "file is not a folder"));
  CHECK(checkOutput(folder / "file").health == Health::kError);
  const Diagnosis kernel = checkOutput("/proc/commtap/out");
  CHECK(kernel.health == Health::kError);
  CHECK(has(kernel.found, "/proc: "));
  CHECK(has(kernel.todo, "COMMTAP_OUT"));
}

TEST_CASE("memory and network file systems are warnings") {
  CHECK(judgeFileSystem("/x", 0xEF53).health == Health::kOk);
  CHECK(judgeFileSystem("/x", 0x0BD00BD0).found == "/x can be written to, on lustre");
  CHECK(judgeFileSystem("/x", 0x0BD00BD0).health == Health::kOk);
  CHECK(has(judgeFileSystem("/x", 0x6969).found, "on nfs: other machines see a running job late"));
  CHECK(judgeFileSystem("/x", 0x6969).health == Health::kWarning);
  CHECK(has(judgeFileSystem("/x", 0x01021994).found, "on tmpfs: reports take memory"));
  CHECK(judgeFileSystem("/x", 0x01021994).health == Health::kWarning);
  CHECK(judgeFileSystem("/x", 0x12345678).health == Health::kOk);
  CHECK(fileSystemName(0x12345678) == "0x12345678");
}

TEST_CASE("space is judged by disk, address space and file size") {
  const LedgerSpace plenty{kGiB, std::nullopt, std::nullopt};
  CHECK(checkSpace(plenty).health == Health::kOk);
  CHECK(checkSpace(plenty).found == "1.00 GiB free on the disk, ulimit -v unlimited, ulimit -f unlimited");
  LedgerSpace space = plenty;
  space.disk_free = 1024;
  CHECK(has(checkSpace(space).todo, "free some disk space"));
  space = plenty;
  space.address_space = kLittleAddressSpace - 1;
  CHECK(checkSpace(space).health == Health::kWarning);
  CHECK(has(checkSpace(space).found, "a sixteenth"));
  space.address_space = kFullLedger.mappedBytes() - 1;
  CHECK(checkSpace(space).health == Health::kError);
  space = plenty;
  space.file_size = kFullLedger.mappedBytes() - 1;
  CHECK(checkSpace(space).health == Health::kWarning);
  space.file_size = kGiB;
  CHECK(checkSpace(space).health == Health::kOk);
}

TEST_CASE("samples take space on the disk in addition to ledgers") {
  LedgerSpace space{kGiB, std::nullopt, std::nullopt, 35'000'000};
  CHECK(checkSpace(space).health == Health::kOk);
  CHECK(has(checkSpace(space).found, "ulimit -f unlimited, samples of up to 33.4 MiB per process"));
  space.disk_free = (64U << 20U) + space.samples - 1;
  CHECK(checkSpace(space).health == Health::kWarning);
  CHECK(has(checkSpace(space).found, "ends the samples for commtap verify"));
  space.samples = 0;
  CHECK(checkSpace(space).health == Health::kOk);
}

TEST_CASE("the space of a real folder is measured") {
  const TempFolder folder;
  CHECK(measureSpace(folder.path()).disk_free > 0);
  CHECK(measureSpace("/nowhere-at-all").disk_free == 0);
}

} // namespace
} // namespace commtap
