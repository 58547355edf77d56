// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("env prints the variables that preload the library") {
  const Installation commtap;
  const Outcome env = runProgram({commtap.exe(), "env", "--out", "out/%j"}, {"LD_PRELOAD="}, "/tmp");
  CHECK(env.status() == 0);
  CHECK(env.out == "export COMMTAP_OUT=/tmp/out/%j\nexport LD_PRELOAD=" + commtap.preloaded() + "\n");
  CHECK(env.err.empty());
}

TEST_CASE("a shell takes the lines as they are, and twice is as once") {
  const Installation commtap;
  const std::string name = "it's $HOME \"5\"\nlines";
  const std::string once = "eval \"$(" + commtap.exe() + " env --name \"$0\")\"; ";
  const std::string print = "printf '%s|%s' \"$COMMTAP_NAME\" \"$LD_PRELOAD\"";
  const Outcome shell = runProgram({"/bin/sh", "-c", once + once + print, name});
  CHECK(shell.status() == 0);
  CHECK(shell.out == name + "|" + commtap.preloaded());
}

TEST_CASE("env prints nothing if commtap is switched off, and fails for a wrong value") {
  const Installation commtap;
  const Outcome off = runProgram({commtap.exe(), "env"}, {"COMMTAP=0"});
  CHECK(off.status() == 0);
  CHECK(off.out.empty());
  const Outcome wrong = runProgram({commtap.exe(), "env", "--log", "loud"});
  CHECK(wrong.status() == 2);
  CHECK(wrong.out.empty());
}

TEST_CASE("env names the library and the folder of the header") {
  const Installation commtap;
  CHECK(runProgram({commtap.exe(), "env", "--lib"}).out == commtap.preloaded() + "\n");
  CHECK(runProgram({commtap.exe(), "env", "--include"}).status() == 2); // the installation has no header
  const std::filesystem::path include = std::filesystem::path(commtap.exe()).parent_path().parent_path() / "include";
  std::filesystem::create_directory(include);
  writeText(include / "commtap.h", "");
  CHECK(runProgram({commtap.exe(), "env", "--include"}).out == include.string() + "\n");
  CHECK(runProgram({commtap.exe(), "env", "--include", "--lib"}).status() == 2);
}

} // namespace
} // namespace commtap
