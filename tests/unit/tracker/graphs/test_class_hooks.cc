// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compile_watch.h"

#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

PyObject* countArguments(PyObject* /*self*/, PyObject* arguments, PyObject* named) {
  return Py_BuildValue("ni", PyTuple_GET_SIZE(arguments), named == nullptr ? 0 : 1);
}

/// A file of torch's with the class `Compiler`, and a hook of its method. Hooks are as old as the process: CPython
/// refers to their methods.
class ClassFixture {
 public:
  ~ClassFixture() {
    python_.run("sys.modules.pop('compiler_file', None)");
  }

 protected:
  static ClassHook& hookOf(const char* name) {
    return *new ClassHook{"compiler_file", "Compiler", name};
  }

  const EmbeddedPython python_{R"(
import sys, types
class Base:
    def inherited(self): return "torch's"
class Compiler(Base):
    value = None
    def compile(self, graph): return "torch's"
sys.modules["compiler_file"] = types.SimpleNamespace(Compiler=Compiler, number=17)
)"};
};

TEST_CASE_FIXTURE(ClassFixture, "a hooked method is called with its object first, until it is set back") {
  ClassHook& hook = hookOf("compile");
  startMethodHook(hook, countArguments);
  CHECK(isSet(hook));
  CHECK(python_.text("Compiler().compile(1)") == "(2, 0)");
  CHECK(python_.text("Compiler().compile(graph=1)") == "(1, 1)");
  setHook(hook, false);
  CHECK_FALSE(isSet(hook));
  CHECK(python_.text("Compiler().compile(1)") == "torch's");
  setHook(hook, true);
  CHECK(python_.text("Compiler().compile(1)") == "(2, 0)");
}

TEST_CASE_FIXTURE(ClassFixture, "an inherited method is hooked in the class, not in its base") {
  startMethodHook(hookOf("inherited"), countArguments);
  CHECK(python_.text("Compiler().inherited()") == "(1, 0)");
  CHECK(python_.text("Base().inherited()") == "torch's");
}

TEST_CASE_FIXTURE(ClassFixture, "what a job sets in place of torch's, or of the hook, stays") {
  ClassHook& hook = hookOf("compile");
  startMethodHook(hook, countArguments);
  python_.run("Compiler.compile = lambda self, graph: \"the job's\"");
  for (const bool watched : {false, true}) {
    setHook(hook, watched);
    CHECK_FALSE(isSet(hook));
    CHECK(python_.text("Compiler().compile(1)") == "the job's");
  }
}

TEST_CASE_FIXTURE(ClassFixture, "a value is set where torch has one of the type; without it, nothing is kept") {
  const PyRef ours = python_["object()"];
  const Py_ssize_t before = referencesTo(ours);
  ClassHook& hook = hookOf("value");
  startHook(hook, Py_TYPE(Py_None), Py_NewRef(ours.get()));
  CHECK(python_["Compiler.value"].get() == ours.get());
  CHECK(hook.torchs == Py_None);
  setHook(hook, false);
  CHECK(referencesTo(ours) == before + 1);
  startHook(hookOf("compile"), Py_TYPE(Py_None), Py_NewRef(ours.get()));
  startHook(hookOf("absent"), Py_TYPE(Py_None), Py_NewRef(ours.get()));
  startHook(*new ClassHook{"compiler_file", "number", "real"}, &PyLong_Type, Py_NewRef(ours.get()));
  startHook(*new ClassHook{"absent_file", "Compiler", "value"}, Py_TYPE(Py_None), Py_NewRef(ours.get()));
  PyErr_Clear();
  CHECK(referencesTo(ours) == before + 1);
  CHECK(python_["Compiler.value"].get() == Py_None);
}

TEST_CASE_FIXTURE(ClassFixture, "a hook whose file is gone sets nothing") {
  ClassHook& hook = hookOf("compile");
  startMethodHook(hook, countArguments);
  python_.run("del sys.modules['compiler_file']");
  CHECK(loadedModule("compiler_file") == nullptr);
  setHook(hook, false);
  CHECK_FALSE(isSet(hook));
  PyErr_Clear();
  CHECK(python_.text("Compiler().compile(1)") == "(2, 0)");
}

TEST_CASE("code between two lines of torch's neither throws nor changes the job's error") {
  int runs = 0;
  const PendingError pending;
  aside([&runs] {
    ++runs;
    PyErr_SetString(PyExc_KeyError, "in between");
  });
  aside([&runs] {
    ++runs;
    throw std::runtime_error("no memory");
  });
  CHECK(runs == 2);
}

} // namespace
} // namespace commtap
