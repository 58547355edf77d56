// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/thread_frames.h"

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

using FrameTexts = std::vector<std::string>;

struct SeenFrames {
  FrameTexts functions;
  std::vector<const void*> instructions;
  size_t wanted; ///< the visit ends after as many
};

int noteFrame(const PyCodeObject* code, const void* instruction, void* data) {
  auto* seen = static_cast<SeenFrames*>(data);
  seen->functions.emplace_back(asciiOf(code->co_name));
  seen->instructions.push_back(instruction);
  return seen->functions.size() == seen->wanted ? 1 : 0;
}

SeenFrames visitedFrames(int most, size_t wanted = 100) {
  SeenFrames seen{{}, {}, wanted};
  commtap_visit_places(most, noteFrame, &seen);
  return seen;
}

TEST_CASE("the functions of a thread are visited from the innermost, through C code") {
  const EmbeddedPython python;
  SeenFrames all;
  SeenFrames two;
  SeenFrames first;
  python.define("look", [&] {
    all = visitedFrames(100);
    two = visitedFrames(2);
    first = visitedFrames(100, 1);
  });
  python.run(R"(
def inner(_): look()
def middle(): list(map(inner, [1]))
def outer(): middle()
outer()
)");
  CHECK(all.functions == FrameTexts{"inner", "middle", "outer", "<module>"});
  CHECK(two.functions == FrameTexts{"inner", "middle"});
  CHECK(first.functions == FrameTexts{"inner"});
}

TEST_CASE("a visit of codes sees what a visit of places does") {
  const EmbeddedPython python;
  FrameTexts functions;
  python.define("look", [&] {
    const auto note = [](const PyCodeObject* code, void* data) {
      static_cast<FrameTexts*>(data)->emplace_back(asciiOf(code->co_name));
      return 0;
    };
    commtap_visit_codes(100, note, &functions);
  });
  python.run("def run(): look()\nrun()");
  CHECK(functions == FrameTexts{"run", "<module>"});
}

TEST_CASE("a call has an instruction of its own, also next to another on one line") {
  const EmbeddedPython python;
  std::vector<const void*> calls;
  python.define("look", [&] { calls.push_back(visitedFrames(1).instructions.at(0)); });
  python.run(R"(
def run(): look(); look()
run()
run()
)");
  REQUIRE(calls.size() == 4);
  CHECK(calls[0] != calls[1]);
  CHECK(calls[0] == calls[2]);
  CHECK(calls[1] == calls[3]);
}

TEST_CASE("a thread that runs no Python code has no functions") {
  CHECK(visitedFrames(100).functions.empty());
  SeenFrames seen;
  std::thread([&seen] { seen = visitedFrames(100); }).join();
  CHECK(seen.functions.empty());
}

TEST_CASE("a function's first variable is its first argument, else its first local variable") {
  const EmbeddedPython python(R"(
def method(self, other): pass
def local():
    only = 1
    return only
def none(): pass
)");
  const auto first = [&](const char* function) {
    const PyRef code = python[function];
    return asciiOf(const_cast<PyObject*>(commtap_first_variable(reinterpret_cast<const PyCodeObject*>(code.get()))));
  };
  CHECK(first("method.__code__") == "self");
  CHECK(first("local.__code__") == "only");
  CHECK(first("none.__code__").empty());
}

} // namespace
} // namespace commtap
