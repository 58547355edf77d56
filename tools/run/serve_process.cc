// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/serve_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tools/run/exec_pointers.h"

namespace commtap {
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
