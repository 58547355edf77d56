// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/launch.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Runs `commtap run -- sh -c SCRIPT` as a session leader on a new terminal.
class OnTerminal {
 public:
  explicit OnTerminal(const Words& command) {
    pid_ = forkpty(&master_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      std::vector<char*> arguments;
      for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str())); // execve() takes char* but does not write
      }
      arguments.push_back(nullptr);
      setenv("COMMTAP_LOG", "off", 1);
      for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) { // nohup and a shell's & would leave them ignored
        std::signal(signal, SIG_DFL);
      }
      execv(arguments[0], arguments.data());
      _exit(125);
    }
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;
  ~OnTerminal() {
    close(master_);
  }

  pid_t pid() const {
    return pid_;
  }

  /// Waits until `word` has been printed.
  void waitFor(const std::string& word) {
    while (text_.find(word) == std::string::npos) {
      REQUIRE(readMore());
    }
  }
  void type(const std::string& keys) {
    REQUIRE(write(master_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  /// Reads to the end of the output.
  Outcome finish() {
    while (readMore()) {
    }
    Outcome outcome;
    REQUIRE(waitpid(pid_, &outcome.wait_status, 0) == pid_);
    outcome.out = text_;
    return outcome;
  }

 private:
  bool readMore() {
    std::array<char, 4096> buffer{};
    const ssize_t count = read(master_, buffer.data(), buffer.size());
    text_.append(buffer.data(), count > 0 ? static_cast<size_t>(count) : 0);
    return count > 0;
  }

  int master_ = -1;
  pid_t pid_ = -1;
  std::string text_;
};

size_t countOf(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

Words running(const Installation& commtap, const std::string& script) {
  return {commtap.exe(), "run", "--out", commtap.out(), "--", "/bin/sh", "-c", script};
}

/// Prints "got NAME" for each signal, "ready" once it can, and ends with 7 after `SIGUSR2`.
const std::string kListener =
    "for s in INT QUIT HUP TERM USR1; do trap \"echo got $s.\" $s; done; trap 'exit 7' USR2; echo ready;"
    "while :; do sleep 0.02; done";

TEST_CASE("run exits with the command's status or signal") {
  const Installation commtap;
  for (const int status : {0, 1, 42, 255}) {
    CHECK(commtap.run("exit " + std::to_string(status)).status() == status);
  }
  for (const int signal : {SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGPIPE, SIGINT}) {
    CHECK(commtap.run("kill -" + std::to_string(signal) + " $$").status() == -signal);
  }
}

TEST_CASE("a terminal's signal reaches the command once, and run waits for the command") {
  const Installation commtap;
  OnTerminal run(running(commtap, kListener));
  run.waitFor("ready");
  run.type("\x03");
  run.waitFor("got INT.");
  run.type("\x1c");
  run.waitFor("got QUIT.");
  kill(run.pid(), SIGUSR2);
  const Outcome outcome = run.finish();
  CHECK(outcome.status() == 7);
  CHECK(countOf(outcome.out, "got INT.") == 1);
  CHECK(countOf(outcome.out, "got QUIT.") == 1);
}

TEST_CASE("run forwards a signal that it alone receives") {
  const Installation commtap;
  OnTerminal run(running(commtap, kListener));
  run.waitFor("ready");
  for (const auto& [signal, name] : {std::pair{SIGTERM, "TERM"}, {SIGHUP, "HUP"}, {SIGUSR1, "USR1"}, {SIGINT, "INT"}}) {
    kill(run.pid(), signal);
    run.waitFor(std::string("got ") + name + ".");
  }
  kill(run.pid(), SIGUSR2);
  CHECK(run.finish().status() == 7);
}

TEST_CASE("run does not forward a signal that the job sends to its whole process group") {
  const Installation commtap;
  OnTerminal run(running(commtap, "trap 'echo got it.' USR1; kill -USR1 0; sleep 0.2; exit 3"));
  const Outcome outcome = run.finish();
  CHECK(outcome.status() == 3);
  CHECK(countOf(outcome.out, "got it.") == 1);
}

TEST_CASE("a terminal's hang-up reaches the command") {
  const Installation commtap;
  const TempFolder folder;
  pid_t pid = -1;
  {
    OnTerminal run(running(
        commtap,
        "trap 'echo x > " + (folder / "hup") +
            "; exit 9' HUP; echo ready;"
            "while :; do sleep 0.02; done"));
    run.waitFor("ready");
    pid = run.pid();
  }
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK(WEXITSTATUS(status) == 9);
  CHECK(readText(folder / "hup") == "x\n");
}

TEST_CASE("the command reads from the terminal, and run consumes none of its input") {
  const Installation commtap;
  OnTerminal run(running(commtap, "test -t 0 && test -t 1 && test -t 2 && read word && echo \"<$word>\""));
  run.type("hello\n");
  const Outcome outcome = run.finish();
  CHECK(outcome.status() == 0);
  CHECK(outcome.out.find("<hello>") != std::string::npos);
}

TEST_CASE("the command has the signal mask and dispositions that run was started with") {
  const Installation commtap;
  const std::string states = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    const Words command = {"/bin/sh", "-c", states};
    const std::string bare = runProgram(command).out;
    const std::string under = runProgram(running(commtap, states)).out;
    _exit(!bare.empty() && bare == under ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("run returns the exit status even with SIGCHLD ignored") {
  const Installation commtap;
  const Outcome outcome = runProgram(
      {"/usr/bin/env",
       "--ignore-signal=CHLD",
       commtap.exe(),
       "run",
       "--out",
       commtap.out(),
       "--",
       "sh",
       "-c",
       "exit 6"});
  CHECK(outcome.status() == 6);
}

TEST_CASE("a server starts and ends with its object") {
  const TempFolder folder;
  const std::string path = folder / "pid";
  {
    const ServeProcess server("/bin/sh", {"sh", "-c", "echo $$ > " + path + "; exec sleep 100"});
    while (!std::filesystem::exists(path) || readText(path).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const pid_t pid = std::stoi(readText(path));
    CHECK(kill(pid, 0) == 0);
    CHECK(getpgid(pid) == pid);
  }
  CHECK(kill(std::stoi(readText(path)), 0) == -1);
  CHECK(errno == ESRCH);
}

TEST_CASE("a server that cannot be started is no error") {
  const ServeProcess server("/no/such/program", {"commtap"});
}

} // namespace

} // namespace commtap
