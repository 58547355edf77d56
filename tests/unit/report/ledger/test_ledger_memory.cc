// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_memory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("publish() keeps addresses, and later counts are in the file") {
  const TempFolder folder;
  const auto ledger = LedgerWriter::create();
  const CollectiveKey key = keyFor(*ledger, "a");
  LedgerCollective* row = ledger->row(key);
  countOne(*ledger, key, 8);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  CHECK(ledger->published());
  CHECK(ledger->row(key) == row);
  row->count.fetch_add(1);
  countOne(*ledger, keyFor(*ledger, "later"), 1);
  const auto contents = readLedgerFile(folder / "x.ledger");
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  CHECK(countOf(contents->report, "a") == 2);
  CHECK(countOf(contents->report, "later") == 1);
}

TEST_CASE("the ledger file is sparse and readable only by its owner") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  struct stat info {};
  REQUIRE(stat((folder / "x.ledger").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600);
  CHECK(static_cast<uint64_t>(info.st_blocks) * 512 < 256 * 1024);
}

TEST_CASE("publish() loses no counts of other threads") {
  const TempFolder folder;
  constexpr uint64_t kRounds = 200;
  for (uint64_t round = 0; round < kRounds; ++round) {
    const auto ledger = LedgerWriter::create();
    const uint32_t module = ledger->addModule(kGlobalModule, "m", "M", 0);
    LedgerCollective* row = ledger->row(keyFor(*ledger, "op"));
    std::atomic<bool> stop{false};
    uint64_t counted = 0;
    std::thread counter([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        row->count.fetch_add(1, std::memory_order_relaxed);
        ledger->countModuleCall(module, Phase::kForward);
        ++counted;
      }
    });
    const std::string path = folder / std::to_string(round);
    const bool published = ledger->publish(path);
    stop.store(true);
    counter.join();
    REQUIRE(published);
    const Report report = readLedgerFile(path)->report;
    REQUIRE(report.modules[1].calls[0] == counted);
    REQUIRE((counted == 0 || countOf(report, "op") == counted));
  }
}

TEST_CASE("after publish() fails for an existing file or a missing folder, the ledger stays usable") {
  const TempFolder folder;
  writeText(folder / "taken", "");
  const auto ledger = sampleLedger(0);
  CHECK_FALSE(ledger->publish(folder / "taken"));
  CHECK(errno == EEXIST);
  CHECK_FALSE(ledger->publish(folder / "taken/x.ledger"));
  CHECK(errno == ENOTDIR);
  CHECK_FALSE(ledger->published());
  countOne(*ledger, keyFor(*ledger, "later"), 1);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  CHECK(countOf(readLedgerFile(folder / "x.ledger")->report, "later") == 1);
}

TEST_CASE("counting continues after removeFile()") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  ledger->removeFile();
  CHECK(namesIn(folder.path()).empty());
  countOne(*ledger, keyFor(*ledger, "later"), 1);
  CHECK(countOf(readLedger(ledger->bytes())->report, "later") == 1);
}

} // namespace
} // namespace commtap
