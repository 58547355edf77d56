// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include "tools/run/environment.h"

namespace commtap {
namespace {

constexpr int kExitNotFound = 127;
constexpr int kExitNotExecutable = 126;
constexpr int kExitSignalBase = 128;

/// Returns all signals except those of a fault in this process, those that stop or continue it, and unblockable ones.
sigset_t relayedSignals() {
  sigset_t set;
  sigfillset(&set);
  for (const int signal :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}) {
    sigdelset(&set, signal);
  }
  return set;
}

/// Returns true if the terminal sent the signal to the whole foreground group, which includes the command. The terminal
/// sends SIGHUP only to the session leader.
bool isFromTerminal(const siginfo_t& info) {
  const bool of_terminal = info.si_signo == SIGINT || info.si_signo == SIGQUIT || info.si_signo == SIGWINCH ||
                           (info.si_signo == SIGHUP && getsid(0) != getpid());
  return info.si_code == SI_KERNEL && of_terminal;
}

/// Returns true if the job sent the signal, for example by `kill 0`, which reaches the command directly.
bool isFromJob(const siginfo_t& info, pid_t child) {
  const bool by_kill = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  return by_kill && (info.si_pid == child || (info.si_pid != getppid() && getpgid(info.si_pid) == getpgrp()));
}

/// Returns errno of the child's exec; 0 once the exec has closed the pipe.
int readExecError(int fd) {
  int error = 0;
  ssize_t count = -1;
  do {
    count = read(fd, &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  return count == sizeof(error) ? error : 0;
}

int waitRelaying(pid_t child, const Launcher::Look& look) {
  constexpr timespec kBetweenLooks = {0, 500'000'000};
  const sigset_t relayed = relayedSignals();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    siginfo_t info{};
    const int signal = sigtimedwait(&relayed, &info, look ? &kBetweenLooks : nullptr);
    if (signal < 0 && errno == EAGAIN) {
      look();
    }
    if (signal > 0 && signal != SIGCHLD && !isFromTerminal(info) && !isFromJob(info, child)) {
      kill(child, signal);
    }
  }
  return status;
}

} // namespace

struct Launcher::Saved {
  sigset_t mask;
  struct sigaction on_child;
};

Launcher::Launcher() : saved_(std::make_unique<Saved>()) {
  const sigset_t relayed = relayedSignals();
  sigprocmask(SIG_BLOCK, &relayed, &saved_->mask);
  // With SIGCHLD ignored by the parent, the kernel would discard the command's exit status.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &saved_->on_child);
}

Launcher::~Launcher() = default;

Ending
Launcher::run(const std::vector<std::string>& command, const std::vector<std::string>& environment, const Look& look) {
  const std::vector<char*> arguments = execPointers(command);
  const std::vector<char*> variables = execPointers(environment);
  int report[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) {
    return {0, errno};
  }
  const pid_t child = fork();
  if (child == 0) {
    sigaction(SIGCHLD, &saved_->on_child, nullptr);
    sigprocmask(SIG_SETMASK, &saved_->mask, nullptr);
    execvpe(arguments[0], arguments.data(), variables.data());
    const int error = errno;
    const bool told = ::write(report[1], &error, sizeof(error)) == sizeof(error);
    _exit(told ? kExitNotFound : kExitNotExecutable);
  }
  const int fork_error = child < 0 ? errno : 0;
  close(report[1]);
  Ending ending;
  ending.exec_error = child < 0 ? fork_error : readExecError(report[0]);
  close(report[0]);
  if (child > 0) {
    ending.wait_status = waitRelaying(child, look);
  }
  return ending;
}

void Launcher::release() {
  const sigset_t relayed = relayedSignals();
  const timespec now{};
  while (sigtimedwait(&relayed, nullptr, &now) > 0) {
  }
  // A closed stderr pipe must not change the command's exit status.
  std::signal(SIGPIPE, SIG_IGN);
  sigprocmask(SIG_SETMASK, &saved_->mask, nullptr);
}

void endAs(const Ending& ending) {
  std::fflush(nullptr);
  if (ending.exec_error != 0) {
    _exit(ending.exec_error == ENOENT ? kExitNotFound : kExitNotExecutable);
  }
  if (!WIFSIGNALED(ending.wait_status)) {
    _exit(WEXITSTATUS(ending.wait_status));
  }
  const int signal = WTERMSIG(ending.wait_status);
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(kExitSignalBase + signal); // signals do not kill process 1 of a container
}

namespace {

constexpr int kExitCannotExec = 127;
/// Longer than commtap serve takes at SIGTERM.
constexpr std::chrono::seconds kMaxEndTime(6);

[[noreturn]] void becomeServer(const char* executable, char* const* arguments, pid_t parent, const sigset_t& mask) {
  std::signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  setpgid(0, 0); // signals of the terminal are for the command
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0) {
    execv(executable, arguments);
  }
  _exit(kExitCannotExec);
}

} // namespace

ServeProcess::ServeProcess(const std::string& executable, const std::vector<std::string>& arguments) {
  const std::vector<char*> pointers = execPointers(arguments);
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask); // no handler of this process runs in the child
  child_ = fork();
  if (child_ == 0) {
    becomeServer(executable.c_str(), pointers.data(), parent, mask);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

ServeProcess::~ServeProcess() {
  if (child_ <= 0) {
    return;
  }
  kill(child_, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + kMaxEndTime;
  while (waitpid(child_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) {
      kill(child_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

} // namespace commtap
