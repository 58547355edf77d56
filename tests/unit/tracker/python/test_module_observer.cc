// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <array>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"
#include "tracker/cpython/py_compat.h"

namespace commtap {
namespace {

/// A function `call`, and callables that note in `events` what they get.
class ObserverFixture {
 public:
  ObserverFixture() {
    REQUIRE(setObserver(python_["before"].get(), python_["after"].get()));
  }
  ~ObserverFixture() {
    setObserver(nullptr, nullptr);
  }

 protected:
  /// Calls call("net", 1), and `scale=2` after it if `is_scaled`, with the observer. Returns "ERROR: text" for an
  /// error.
  std::string result(bool is_scaled = false) const {
    const PyRef function = python_["call"];
    const PyRef names = python_["('scale',)"];
    const PyRef net = python_["'net'"];
    const PyRef one = python_["1"];
    const PyRef two = python_["2"];
    const std::array<PyObject*, 3> arguments{net.get(), one.get(), two.get()};
    const PyRef value(callWithObserver(
        compat::vectorcallOf(function.get()), function.get(), arguments.data(), 2, is_scaled ? names.get() : nullptr));
    if (value) {
      return textOf(value.get());
    }
    PyObject* type = nullptr;
    PyObject* error = nullptr;
    PyObject* traceback = nullptr;
    PyErr_Fetch(&type, &error, &traceback);
    const std::string text = "ERROR: " + textOf(error);
    PyErr_Restore(type, error, traceback);
    PyErr_Clear();
    return text;
  }

  const EmbeddedPython python_{R"(
events = []
fails = set()

def note(name, *arguments):
    events.append((name, *arguments))
    if name in fails:
        raise RuntimeError(name)

def before(*arguments): note("before", *arguments)
def after(*arguments): note("after", *arguments)
def call(net, x, scale=1):
    note("call")
    return x * scale
)"};
};

TEST_CASE_FIXTURE(ObserverFixture, "an observer gets the module, its arguments and the result around each call") {
  CHECK(result(true) == "2");
  CHECK(
      python_.text("events") ==
      "[('before', 'net', (1,), {'scale': 2}), ('call',), ('after', 'net', (1,), {'scale': 2}, 2)]");
  python_.run("events.clear()");
  CHECK(result() == "1");
  CHECK(python_.text("events") == "[('before', 'net', (1,), None), ('call',), ('after', 'net', (1,), None, 1)]");
}

TEST_CASE_FIXTURE(ObserverFixture, "the error of an observer is the call's") {
  python_.run("fails.add('before')");
  CHECK(result() == "ERROR: before");
  CHECK(python_.text("[event[0] for event in events]") == "['before']");
  python_.run("fails.clear(); fails.add('after')");
  CHECK(result() == "ERROR: after");
}

TEST_CASE_FIXTURE(ObserverFixture, "an observer gets None for a call that raises, and cannot replace its error") {
  python_.run("fails.update(['call', 'after'])");
  CHECK(result() == "ERROR: call");
  CHECK(python_.text("events[-1]") == "('after', 'net', (1,), None, None)");
}

TEST_CASE_FIXTURE(ObserverFixture, "without an observer the call alone is made") {
  REQUIRE(setObserver(nullptr, nullptr));
  CHECK(result() == "1");
  CHECK(python_.text("events") == "[('call',)]");
}

TEST_CASE_FIXTURE(ObserverFixture, "an observer of one callable, or of none that can be called, is refused") {
  PyObject* const before = python_["before"].get();
  CHECK_FALSE(setObserver(before, nullptr));
  CHECK_FALSE(setObserver(nullptr, before));
  CHECK_FALSE(setObserver(before, python_["17"].get()));
  CHECK_FALSE(setObserver(python_["17"].get(), before));
  CHECK(result() == "1");
  CHECK(python_.text("len(events)") == "3");
}

TEST_CASE_FIXTURE(ObserverFixture, "an observer is held while it is set") {
  const PyRef before = python_["before"];
  const Py_ssize_t held = referencesTo(before);
  REQUIRE(setObserver(nullptr, nullptr));
  CHECK(referencesTo(before) == held - 1);
}

} // namespace
} // namespace commtap
