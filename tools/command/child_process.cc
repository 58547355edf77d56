// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/child_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "report/base/file_descriptor.h"
#include "tools/run/environment.h"

namespace commtap {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitNotStarted = 127;

[[noreturn]] void execute(char* const* arguments, char* const* variables, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int null = open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDIN_FILENO);
  }
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvpe(arguments[0], arguments, variables);
  const char* reason = std::strerror(errno);
  const bool written = ::write(STDERR_FILENO, reason, std::strlen(reason)) > 0;
  _exit(written ? kExitNotStarted : kExitNotStarted - 1);
}

/// Waits for the child; returns false if the deadline passes first. Polls: pidfd_open() needs Linux 5.3.
bool waitUntil(pid_t child, Clock::time_point deadline, int& status) {
  constexpr timespec kPause = {0, 2'000'000};
  pid_t ended = waitpid(child, &status, WNOHANG);
  while (ended == 0 || (ended < 0 && errno == EINTR)) {
    if (Clock::now() >= deadline) {
      return false;
    }
    nanosleep(&kPause, nullptr);
    ended = waitpid(child, &status, WNOHANG);
  }
  return true;
}

std::string contentOf(int fd) {
  std::string text(kMaxChildOutput, '\0');
  const ssize_t count = pread(fd, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

} // namespace

ChildOutcome
runChild(const std::vector<std::string>& command, const Environment& environment, std::chrono::milliseconds limit) {
  // Files instead of pipes: a child that is not read from, or that leaves its pipes to a daemon, cannot block us.
  const FileDescriptor out(memfd_create("commtap-out", MFD_CLOEXEC));
  const FileDescriptor err(memfd_create("commtap-err", MFD_CLOEXEC));
  const std::vector<char*> arguments = execPointers(command);
  const std::vector<char*> variables = execPointers(environment.variables());
  const Clock::time_point deadline = Clock::now() + limit;
  ChildOutcome outcome;
  const pid_t child = fork();
  if (child == 0) {
    execute(arguments.data(), variables.data(), out.get(), err.get());
  }
  if (child < 0) {
    outcome.wait_status = -1;
    outcome.err = std::strerror(errno);
    return outcome;
  }
  outcome.timed_out = !waitUntil(child, deadline, outcome.wait_status);
  kill(-child, SIGKILL);
  if (outcome.timed_out) {
    kill(child, SIGKILL); // it may not have made its process group yet
    waitpid(child, &outcome.wait_status, 0);
  }
  outcome.out = contentOf(out.get());
  outcome.err = contentOf(err.get());
  return outcome;
}

std::string lastLine(const std::string& text) {
  const std::string trimmed = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return trimmed.substr(trimmed.rfind('\n') + 1); // npos + 1 is 0: the first line
}

} // namespace commtap
