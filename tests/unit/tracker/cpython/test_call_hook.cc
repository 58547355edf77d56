// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/import_hook.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

int hooked_calls = 0;
vectorcallfunc hooked_own = nullptr;

PyObject* countedCall(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  ++hooked_calls;
  return hooked_own(function, arguments, flags, names);
}

/// Calls a function as C code does; CPython 3.11 runs a call in Python code without the function's vectorcall.
std::string resultOf(const PyRef& function, int argument) {
  const PyRef number(PyLong_FromLong(argument));
  const PyRef result(PyObject_CallOneArg(function.get(), number.get()));
  return textOf(result.get());
}

TEST_CASE("a hooked function's calls go through the hook, while it is enabled") {
  const EmbeddedPython python("def double(x): return 2 * x");
  const PyRef function = python["double"];
  CallHook hook;
  REQUIRE(hook.install(function.get(), countedCall));
  hooked_own = hook.own();
  hooked_calls = 0;
  CHECK(resultOf(function, 4) == "8");
  CHECK(hooked_calls == 1);
  hook.setEnabled(false);
  CHECK(resultOf(function, 5) == "10");
  CHECK(hooked_calls == 1);
  hook.setEnabled(true);
  CHECK(resultOf(function, 6) == "12");
  CHECK(hooked_calls == 2);
  hook.setEnabled(false);
}

TEST_CASE("a hook leaves the function's identity and its code") {
  const EmbeddedPython python(R"(
def plain(x): return x
before = (id(plain), plain.__code__, dict(plain.__dict__))
)");
  CallHook hook;
  REQUIRE(hook.install(python["plain"].get(), countedCall));
  CHECK(python.text("before == (id(plain), plain.__code__, dict(plain.__dict__))") == "True");
  hook.setEnabled(false);
}

TEST_CASE("only a plain Python function is hooked, and by one hook") {
  const EmbeddedPython python(R"(
class Net:
    def forward(self): return 1
net = Net()
def free(): return 1
)");
  CallHook hook;
  CHECK_FALSE(hook.install(nullptr, countedCall));
  CHECK_FALSE(hook.install(python["len"].get(), countedCall));
  CHECK_FALSE(hook.install(python["net.forward"].get(), countedCall));
  REQUIRE(hook.install(python["free"].get(), countedCall));
  CHECK_FALSE(hook.install(python["Net.forward"].get(), countedCall));
  CallHook second;
  CHECK_FALSE(second.install(python["free"].get(), countedCall));
  hook.setEnabled(false);
}

} // namespace
} // namespace commtap
