// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "report/base/process.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/child.h"
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

TEST_CASE("LedgerFile creates a new file; it opens no existing file and follows no link") {
  const TempFolder folder;
  LedgerFile first;
  REQUIRE(first.create(folder / "a"));
  CHECK(first.isOpen());
  CHECK(first.path() == (folder / "a"));
  struct stat facts {};
  REQUIRE(stat((folder / "a").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  LedgerFile second;
  CHECK_FALSE(second.create(folder / "a"));
  CHECK(errno == EEXIST);
  std::filesystem::create_symlink(folder / "elsewhere", folder / "link");
  CHECK_FALSE(second.create(folder / "link"));
  CHECK_FALSE(second.isOpen());
}

TEST_CASE("LedgerFile leaves a job's file alone that reuses the ledger's descriptor number") {
  const TempFolder folder;
  LedgerFile file;
  REQUIRE(file.create(folder / "ledger"));
  const int number = file.descriptor();
  close(number);
  const int jobs = open((folder / "jobs").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(jobs == number);
  REQUIRE(file.allocate(0, 8192));
  REQUIRE(file.write("x", 1, 0));
  CHECK(file.descriptor() != jobs);
  CHECK(std::filesystem::file_size(folder / "jobs") == 0);
  CHECK(std::filesystem::file_size(folder / "ledger") == 8192);
  close(jobs);
}

TEST_CASE("LedgerFile fails if its file was closed and removed, and leaves a new file of that name alone") {
  const TempFolder folder;
  LedgerFile file;
  REQUIRE(file.create(folder / "ledger"));
  const int mapping = dup(file.descriptor()); // keeps the inode from being reused, as the ledger's mapping does
  close(file.descriptor());
  REQUIRE(file.remove());
  CHECK_FALSE(file.allocate(0, 4096));
  CHECK(errno == ENOENT);
  writeText(folder / "ledger", "another");
  CHECK_FALSE(file.allocate(0, 4096));
  CHECK(errno == ESTALE);
  CHECK_FALSE(file.remove());
  CHECK(errno == ESTALE);
  CHECK(readText(folder / "ledger") == "another");
  close(mapping);
}

TEST_CASE("a launcher's signal is noted in a ledger, and in no other file") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const uint64_t before_ns = wallClockNs();
  LedgerFile::noteSignalSent(folder / "x.ledger", 15);
  CHECK(ledger->header().signal_sent == 15);
  CHECK(ledger->header().signal_sent_at_ns >= before_ns);
  CHECK(ledger->header().signal_sent_at_ns <= wallClockNs());
  ledger->changeHeader([before_ns](LedgerHeader& head) { head.signal_sent_at_ns = before_ns; });
  LedgerFile::noteSignalSent(folder / "x.ledger", 9);
  CHECK(ledger->header().signal_sent == 9);
  CHECK(ledger->header().signal_sent_at_ns == before_ns); // the end began with the first signal
  constexpr uint64_t kLongNs = 3600'000'000'000;
  ledger->changeHeader([before_ns](LedgerHeader& head) { head.signal_sent_at_ns = before_ns - kLongNs; });
  LedgerFile::noteSignalSent(folder / "x.ledger", 9);
  CHECK(ledger->header().signal_sent_at_ns >= before_ns);
  const std::string foreign(sizeof(LedgerHeader), 'x');
  writeText(folder / "foreign.ledger", foreign);
  writeText(folder / "short.ledger", "COMM");
  for (const char* name : {"foreign.ledger", "short.ledger", "none.ledger"}) {
    LedgerFile::noteSignalSent(folder / name, 9);
  }
  CHECK(readText(folder / "foreign.ledger") == foreign);
  CHECK(readText(folder / "short.ledger") == "COMM");
  CHECK(namesIn(folder.path()).size() == 3);
}

TEST_CASE("LedgerFile::close() can be called twice") {
  const TempFolder folder;
  LedgerFile file;
  REQUIRE(file.create(folder / "ledger"));
  const int number = file.descriptor();
  file.close();
  CHECK(fcntl(number, F_GETFD) == -1);
  file.close();
  CHECK_FALSE(file.isOpen());
}

TEST_CASE("LedgerFile refuses a ledger beyond the size limit without raising SIGXFSZ") {
  const TempFolder folder;
  checkInChild([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    LedgerFile file;
    return file.create(folder / "ledger") && !file.resize(8192) && errno == EFBIG;
  });
}

TEST_CASE("LedgerFile is outside of a new root folder that does not hold it, and inside of one that does") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "jail");
  for (const bool holds : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      LedgerFile file;
      const bool created = file.create(folder / "ledger") && !file.isOutsideOfRoot();
      const bool changed = chroot(holds ? "/proc/self/root" : (folder / "jail").c_str()) == 0;
      _exit(created && changed ? (file.isOutsideOfRoot() == !holds ? 0 : 1) : 77);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((status == 0 || WEXITSTATUS(status) == 77)); // 77: not allowed here
    std::filesystem::remove(folder / "ledger");
  }
}

TEST_CASE("a second view of a ledger's memory shows the same bytes in every range") {
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  LedgerView view(kSmallLedger);
  auto* base = reinterpret_cast<std::byte*>(&ledger->header());
  REQUIRE(view.mapAgain(base));
  for (const MappedRange& range : kSmallLedger.ranges()) {
    base[range.offset + range.size - 1] = std::byte{7};
    CHECK(view.at(range.offset + range.size - 1)[0] == std::byte{7});
  }
  CHECK(view.at(0)[0] == std::byte{'c'});
}

TEST_CASE("new memory is zeros, and a closed descriptor is an error") {
  LedgerView view(kSmallLedger);
  REQUIRE(view.mapMemory());
  CHECK(view.at(kLedgerLayout.offsets[kLast])[0] == std::byte{0});
  LedgerView file(kSmallLedger);
  CHECK_FALSE(file.mapFile(-1));
}

} // namespace
} // namespace commtap
