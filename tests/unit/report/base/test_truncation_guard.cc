// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/truncation_guard.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr off_t kWholeFile = kLedgerLayout.size;

/// Uses every part of the ledger.
void use(LedgerWriter& ledger) {
  ledger.notSeen(NotSeen::kUnknownOp, "op");
  ledger.header().step.fetch_add(1);
  ledger.intern("a text");
  readLedger(ledger.bytes());
}

/// Runs `body` in a child with a ledger in a file.
ChildResult withLedger(const std::function<void(LedgerWriter&, const std::string&)>& body) {
  const TempFolder folder;
  return runInChild([&] {
    const std::string path = folder / "x.ledger";
    const std::unique_ptr<LedgerWriter> ledger = sampleLedger(0);
    if (ledger->publish(path)) {
      body(*ledger, path);
    }
  });
}

TEST_CASE("a process goes on when its ledger is truncated to any length, and knows that it is lost") {
  for (const off_t length : {off_t{0}, off_t{1}, off_t{4096}, off_t{5000}, kWholeFile / 2, kWholeFile - 1}) {
    CAPTURE(length);
    const ChildResult child = withLedger([length](LedgerWriter& ledger, const std::string& path) {
      use(ledger);
      sayLine(ledger.isLost() ? "lost" : "kept");
      sayLine(truncate(path.c_str(), length) == 0 ? "truncated" : "whole");
      use(ledger);
      sayLine(ledger.isLost() ? "lost" : "kept");
      use(ledger);
      sayLine(readLedger(ledger.bytes()) ? "a ledger" : "empty");
    });
    CHECK(child.status == 0);
    CHECK(child.said == "kept\ntruncated\nlost\nempty\n");
  }
}

TEST_CASE("many threads that use a ledger when it is truncated go on") {
  const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        while (!is_over) {
          use(ledger);
        }
      });
    }
    usleep(20'000);
    const bool truncated = truncate(path.c_str(), 0) == 0;
    usleep(50'000);
    is_over = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    sayLine(truncated && ledger.isLost() ? "lost" : "kept");
  });
  CHECK(child.status == 0);
  CHECK(child.said == "lost\n");
}

TEST_CASE("a ledger whose file gets another name or none is whole") {
  const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
    writeText(path + ".new", "");
    sayLine(rename((path + ".new").c_str(), path.c_str()) == 0 ? "replaced" : "");
    use(ledger);
    sayLine(ledger.isLost() ? "lost" : "kept");
    unlink(path.c_str());
    use(ledger);
    sayLine(ledger.isLost() ? "lost" : "kept");
  });
  CHECK(child.said == "replaced\nkept\nkept\n");
}

TEST_CASE("a truncated file does not grow again when the ledger needs more space") {
  const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
    sayLine(truncate(path.c_str(), 4096) == 0 ? "truncated" : "whole");
    for (int i = 0; i < 20'000; ++i) {
      ledger.intern("a text that takes some space, number " + std::to_string(i));
    }
    sayLine(ledger.isLost() ? "lost" : "kept");
  });
  CHECK(child.said == "truncated\nlost\n");
}

TEST_CASE("a forked child of a process with a truncated ledger starts an empty one") {
  const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
    sayLine(truncate(path.c_str(), 0) == 0 ? "truncated" : "whole");
    const pid_t pid = fork();
    if (pid == 0) {
      ledger.repairInForkedChild();
      ledger.resetInForkedChild();
      use(ledger);
      sayLine(ledger.isLost() ? "lost" : "its own");
      sayLine(readLedger(ledger.bytes()) ? "a ledger" : "empty");
      _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    use(ledger);
    sayLine(status == 0 && ledger.isLost() ? "lost" : "kept");
  });
  CHECK(child.status == 0);
  CHECK(child.said == "truncated\nits own\na ledger\nlost\n");
}

/// Touches a page of a file that has lost it.
void faultElsewhere() {
  const TempFolder folder;
  writeText(folder / "file", "text");
  const int fd = open((folder / "file").c_str(), O_RDWR | O_CLOEXEC);
  auto* page = static_cast<volatile char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  if (ftruncate(fd, 0) == 0) {
    page[0] = 'x';
  }
}

constexpr std::array<void (*)(), 4> kOtherSignals = {
    faultElsewhere,
    [] { raise(SIGBUS); },
    [] { kill(getpid(), SIGBUS); },
    [] { sigqueue(getpid(), SIGBUS, {}); }};

TEST_CASE("any other SIGBUS ends the process as without commtap") {
  for (size_t i = 0; i < kOtherSignals.size(); ++i) {
    CAPTURE(i);
    const ChildResult child = withLedger([i](LedgerWriter& ledger, const std::string& /*path*/) {
      use(ledger);
      kOtherSignals[i]();
      usleep(100'000);
      sayLine("alive");
    });
    CHECK(WIFSIGNALED(child.status));
    CHECK(WTERMSIG(child.status) == SIGBUS);
    CHECK(child.said.empty());
  }
}

TEST_CASE("any other SIGBUS reaches the handler that was there before") {
  for (size_t i = 0; i < kOtherSignals.size(); ++i) {
    CAPTURE(i);
    const TempFolder folder;
    const ChildResult child = runInChild([&] {
      struct sigaction action {};
      action.sa_flags = SA_SIGINFO;
      action.sa_sigaction = [](int signal, siginfo_t* info, void* /*context*/) {
        sayLine("handled " + std::to_string(signal) + (info->si_code == BUS_ADRERR ? " fault" : " sent"));
        _exit(0);
      };
      sigaction(SIGBUS, &action, nullptr);
      const std::unique_ptr<LedgerWriter> ledger = sampleLedger(0);
      if (ledger->publish(folder / "x.ledger")) {
        kOtherSignals[i]();
        usleep(100'000);
      }
    });
    CHECK(child.status == 0);
    CHECK(child.said == "handled " + std::to_string(SIGBUS) + (i == 0 ? " fault\n" : " sent\n"));
  }
}

TEST_CASE("an ignored SIGBUS stays ignored, and the ledger is still watched") {
  const TempFolder folder;
  const ChildResult child = runInChild([&] {
    signal(SIGBUS, SIG_IGN);
    const std::unique_ptr<LedgerWriter> ledger = sampleLedger(0);
    if (ledger->publish(folder / "x.ledger")) {
      raise(SIGBUS);
      sayLine(truncate((folder / "x.ledger").c_str(), 0) == 0 ? "truncated" : "whole");
      use(*ledger);
      sayLine(ledger->isLost() ? "lost" : "kept");
    }
  });
  CHECK(child.status == 0);
  CHECK(child.said == "truncated\nlost\n");
}

struct sigaction found_by_job;

/// Passes the signal on as Python's faulthandler does.
void passOnLikeFaulthandler(int signal) {
  sigaction(signal, &found_by_job, nullptr);
  raise(signal);
}

TEST_CASE("a later handler that passes the signal on does not end the process, and later signals do") {
  const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
    struct sigaction action {};
    action.sa_handler = passOnLikeFaulthandler;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGBUS, &action, &found_by_job);
    sayLine(truncate(path.c_str(), 0) == 0 ? "truncated" : "whole");
    use(ledger);
    sayLine(ledger.isLost() ? "lost" : "kept");
    raise(SIGBUS);
    sayLine("alive");
  });
  CHECK(WTERMSIG(child.status) == SIGBUS);
  CHECK(child.said == "truncated\nlost\n");
}

TEST_CASE("the process goes on when several threads are in a handler that passes the signal on") {
  for (int round = 0; round < 20; ++round) {
    const ChildResult child = withLedger([](LedgerWriter& ledger, const std::string& path) {
      struct sigaction action {};
      action.sa_handler = [](int signal) {
        usleep(2000); // until each thread is here
        passOnLikeFaulthandler(signal);
      };
      action.sa_flags = SA_NODEFER;
      sigaction(SIGBUS, &action, &found_by_job);
      sayLine(truncate(path.c_str(), 0) == 0 ? "truncated" : "whole");
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { use(ledger); });
      }
      for (std::thread& thread : threads) {
        thread.join();
      }
      sayLine(ledger.isLost() ? "lost" : "kept");
    });
    CHECK(child.status == 0);
    CHECK(child.said == "truncated\nlost\n");
  }
}

TEST_CASE("a process without a ledger file has the action for SIGBUS that it had") {
  const ChildResult child = runInChild([] {
    const std::unique_ptr<LedgerWriter> ledger = sampleLedger(0);
    struct sigaction action {};
    sigaction(SIGBUS, nullptr, &action);
    sayLine(action.sa_handler == SIG_DFL ? "default" : "handler");
  });
  CHECK(child.said == "default\n");
}

} // namespace
} // namespace commtap
