// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/truncation_guard.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace commtap {
namespace {

enum class State : uint8_t { kNone, kWhole, kReplacing, kLost, kFailed };

/// The watched ledger. Constant until the next watch(); the handler may run in any thread.
struct Watched {
  std::byte* base = nullptr;
  std::span<const MappedRange> ranges;
  uint64_t size = 0; ///< of the file
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;
};

Watched watched;
std::atomic<State> state{State::kNone};
static_assert(std::atomic<State>::is_always_lock_free); // for the handler

/// The thread that replaced the ledger, and the time. Constant once the state is kLost.
struct Loss {
  pid_t thread = 0;
  time_t at = 0; ///< monotonic, in seconds
};

Loss loss;

/// For so long after the loss, another thread may still be in a handler that will pass the fault on.
constexpr time_t kPassingOnSeconds = 10;

struct sigaction found_action;
bool is_installed = false;

pid_t thisThread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

time_t monotonicSeconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

bool isInLedger(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const MappedRange& range : watched.ranges) {
    if (at >= watched.base + range.offset && at < watched.base + range.offset + range.size) {
      return true;
    }
  }
  return false;
}

/// Returns false if the descriptor has another file by now: see LedgerFile.
bool isTruncated() {
  struct stat facts {};
  return fstat(watched.fd, &facts) == 0 && facts.st_dev == watched.device && facts.st_ino == watched.inode &&
         static_cast<uint64_t>(facts.st_size) < watched.size;
}

bool isReplaced() {
  while (state.load() == State::kReplacing) { // in another thread, which does not wait for anything
  }
  return state.load() == State::kLost;
}

/// Puts empty memory in the ledger's place, once. All of it: what the file still has does not fit what it has lost.
/// Another thread may have done it since this one met the fault. Returns false if it is not possible.
bool replaceLedger() {
  State expected = State::kWhole;
  if (!state.compare_exchange_strong(expected, State::kReplacing)) {
    return isReplaced();
  }
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  bool replaced = true;
  for (const MappedRange& range : watched.ranges) {
    std::byte* start = watched.base + range.offset;
    replaced = replaced && mmap(start, range.size, PROT_READ | PROT_WRITE, kFlags, -1, 0) == start;
  }
  loss = {thisThread(), monotonicSeconds()};
  state.store(replaced ? State::kLost : State::kFailed);
  return replaced;
}

/// A handler that was installed later may have taken the fault, and raised the signal again to pass it on, as Python's
/// faulthandler does. Then only the file shows whose the fault was, or that another thread has just met the same one.
bool mayBePassedOn() {
  if (state.load() == State::kWhole) {
    return isTruncated();
  }
  return isReplaced() && loss.thread != thisThread() && monotonicSeconds() - loss.at < kPassingOnSeconds;
}

bool isLedgerFault(const siginfo_t& info) {
  const State now = state.load();
  if (now == State::kNone || now == State::kFailed) {
    return false;
  }
  return info.si_code == BUS_ADRERR ? isInLedger(info.si_addr) : info.si_code <= 0 && mayBePassedOn();
}

/// The signal is the job's: it gets the action that it would have without commtap. A fault of an instruction repeats
/// itself when the handler returns.
void passOn(int signal, siginfo_t* info) {
  const bool repeats = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
  const bool is_ignored = (found_action.sa_flags & SA_SIGINFO) == 0 && found_action.sa_handler == SIG_IGN;
  if (!repeats && is_ignored) {
    return;
  }
  sigaction(signal, &found_action, nullptr);
  if (!repeats) {
    syscall(SYS_rt_tgsigqueueinfo, getpid(), thisThread(), signal, info);
  }
}

void onBusError(int signal, siginfo_t* info, void* /*context*/) {
  const int saved_errno = errno;
  if (!isLedgerFault(*info) || !replaceLedger()) {
    passOn(signal, info);
  }
  errno = saved_errno;
}

bool hasNoHandler() {
  struct sigaction now {};
  return sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = onBusError;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  is_installed = sigaction(SIGBUS, &action, &found_action) == 0;
}

} // namespace

void TruncationGuard::watch(std::byte* base, std::span<const MappedRange> ranges, uint64_t size, int fd) {
  state.store(State::kNone);
  struct stat facts {};
  if (fstat(fd, &facts) != 0) {
    return;
  }
  watched = {base, ranges, size, fd, facts.st_dev, facts.st_ino};
  state.store(State::kWhole);
  // A forked child may have reset its signals. A handler of the job's that came later stays: it may call this one.
  if (!is_installed || hasNoHandler()) {
    install();
  }
}

void TruncationGuard::unwatch(const std::byte* base) {
  if (watched.base == base) {
    state.store(State::kNone);
  }
}

bool TruncationGuard::isLost(const std::byte* base) {
  if (watched.base != base || state.load() == State::kNone) {
    return false;
  }
  if (state.load() == State::kWhole && isTruncated()) {
    replaceLedger();
  }
  return state.load() != State::kWhole;
}

} // namespace commtap
