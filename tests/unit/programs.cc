// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/programs.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "report/json/report_json.h"

namespace commtap {
namespace {

std::vector<char*> pointersTo(const Words& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str())); // execve() takes char* but does not write
  }
  pointers.push_back(nullptr);
  return pointers;
}

void redirect(const std::string& path, int flags, int to) {
  const int fd = open(path.c_str(), flags, 0600);
  dup2(fd, to);
  close(fd);
}

} // namespace

int Outcome::status() const {
  return WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Outcome runProgram(const Words& command, const Words& variables, const std::string& folder) {
  const TempFolder streams;
  Words environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm"};
  environment.insert(environment.end(), variables.begin(), variables.end());
  if (const char* sanitizer = std::getenv("ASAN_OPTIONS")) {
    environment.push_back(std::string("ASAN_OPTIONS=") + sanitizer);
  }
  const pid_t child = fork();
  if (child == 0) {
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(streams / "out", O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect(streams / "err", O_WRONLY | O_CREAT, STDERR_FILENO);
    const bool there = chdir(folder.c_str()) == 0;
    execve(command[0].c_str(), pointersTo(command).data(), pointersTo(environment).data());
    _exit(there ? 125 : 124);
  }
  Outcome outcome;
  REQUIRE(waitpid(child, &outcome.wait_status, 0) == child);
  outcome.out = readText(streams / "out");
  outcome.err = readText(streams / "err");
  return outcome;
}

Outcome runCommtap(Words arguments, const Words& variables) {
  arguments.insert(arguments.begin(), COMMTAP_EXE);
  return runProgram(arguments, variables);
}

SampleFolder::SampleFolder() {
  for (const int64_t rank : {0, 1, 3}) {
    writeText(*this / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
  }
}

Installation::Installation() {
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::create_directories(folder_ / "lib/commtap");
  std::filesystem::create_directories(out());
  std::filesystem::copy_file(COMMTAP_EXE, exe());
  std::filesystem::copy_file(COMMTAP_STUB, preloaded());
  for (int64_t rank = 0; rank < 4; ++rank) {
    writeText(folder_ / ("sample-" + std::to_string(rank)), reportToJson(sampleReport(rank)));
  }
}

Outcome Installation::run(const std::string& shell_command, Words variables) const {
  constexpr const char* kScript = "train.py"; // as in the sample reports
  return runProgram({exe(), "run", "--out", out(), "--", "/bin/sh", "-c", shell_command, kScript}, variables);
}

std::string Installation::makeReport(int64_t rank) const {
  const std::string number = std::to_string(rank);
  const std::string now = R"("started_at":"'$(date -u +%Y-%m-%dT%H:%M:%S.000000Z)'")";
  return "sed -e s/sample-run/$COMMTAP_RUN_ID/ -e 's/\"started_at\":\"[^\"]*\"/" + now + "/' " +
         (folder_ / ("sample-" + number)) + " > " + out() + "/rank-0000" + number + ".json;";
}

} // namespace commtap
