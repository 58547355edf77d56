// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/thread_frames.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

struct SeenLocals {
  std::vector<std::string> texts;
  size_t wanted; ///< the visit ends after as many
};

/// Returns the first `wanted` of the values that commtap_visit_locals() visits in the function that calls C code.
std::vector<std::string> visitedLocals(int most, size_t wanted = 100) {
  SeenLocals seen{{}, wanted};
  const auto note = [](PyObject* value, void* data) {
    auto* into = static_cast<SeenLocals*>(data);
    into->texts.push_back(textOf(value));
    return into->texts.size() == into->wanted ? 1 : 0;
  };
  commtap_visit_locals(PyEval_GetFrame(), most, note, &seen);
  return seen.texts;
}

std::string runningLocal(const char* name) {
  const PyRef value(commtap_local(PyEval_GetFrame(), name));
  CHECK(PyErr_Occurred() == nullptr);
  return value ? textOf(value.get()) : "no variable";
}

using LocalTexts = std::vector<std::string>;

TEST_CASE("a visit sees the bound variables of a running function, arguments first") {
  const EmbeddedPython python;
  LocalTexts all;
  LocalTexts two;
  LocalTexts one;
  python.define("look", [&] {
    all = visitedLocals(100);
    two = visitedLocals(2);
    one = visitedLocals(100, 1);
  });
  python.run(R"(
def run(first, second):
    third = "c"
    gone = "d"
    del gone
    look()
    later = "e"
run("a", "b")
)");
  CHECK(all == LocalTexts{"a", "b", "c"});
  CHECK(two == LocalTexts{"a", "b"});
  CHECK(one == LocalTexts{"a"});
}

TEST_CASE("a variable is found by its name, whether a nested function shares it or not") {
  const EmbeddedPython python;
  LocalTexts outer;
  LocalTexts inner;
  python.define("look_outside", [&] { outer = {runningLocal("plain"), runningLocal("shared"), runningLocal("self")}; });
  python.define("look_inside", [&] { inner = {runningLocal("shared"), runningLocal("plain")}; });
  python.run(R"(
def run(self, shared):
    plain = "p"
    def nested():
        look_inside()
        return shared
    look_outside()
    nested()
run("me", "s")
)");
  CHECK(outer == LocalTexts{"p", "s", "me"});
  CHECK(inner == LocalTexts{"s", "no variable"});
}

TEST_CASE("a variable that is not bound, or not there, is not found and leaves no error") {
  const EmbeddedPython python;
  LocalTexts found;
  python.define("look", [&] { found = {runningLocal("late"), runningLocal("deleted"), runningLocal("none_such")}; });
  python.run(R"(
def run(deleted):
    del deleted
    look()
    late = 1
run(1)
)");
  CHECK(found == LocalTexts(3, "no variable"));
}

TEST_CASE("reading variables leaves their reference counts as they were") {
  const EmbeddedPython python("value = []");
  const PyRef value = python["value"];
  Py_ssize_t before = 0;
  Py_ssize_t after = 0;
  python.define("look", [&] {
    before = referencesTo(value);
    visitedLocals(100);
    runningLocal("argument");
    after = referencesTo(value);
  });
  python.run("def run(argument): look()\nrun(value)");
  CHECK(before > 0);
  CHECK(after == before);
}

} // namespace
} // namespace commtap
