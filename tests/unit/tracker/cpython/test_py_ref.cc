// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/py_ref.h"

#include <utility>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

TEST_CASE("an object's text is its str() in UTF-8; an object without one has the empty text") {
  const EmbeddedPython python(R"(
class Broken:
    def __str__(self):
        raise KeyError("no text")
)");
  CHECK(textOf(python["'schön'"].get()) == "schön");
  CHECK(textOf(python["17"].get()) == "17");
  CHECK(textOf(python["Broken()"].get()).empty());
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(textOf(python["'\\ud800'"].get()).empty()); // a lone surrogate has no UTF-8
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(textOf(nullptr).empty());
}

TEST_CASE("a view of a string is that of an ASCII string only") {
  const EmbeddedPython python;
  const PyRef ascii = python["'forward'"];
  CHECK(asciiOf(ascii.get()) == "forward");
  CHECK(asciiOf(python["'schön'"].get()).empty());
  CHECK(asciiOf(python["b'forward'"].get()).empty());
  CHECK(asciiOf(nullptr).empty());
}

TEST_CASE("a reference is held for as long as its owner lives, and moves with it") {
  const EmbeddedPython python;
  const PyRef object = python["[1]"];
  const Py_ssize_t before = referencesTo(object);
  {
    PyRef held = PyRef::borrow(object.get());
    CHECK(referencesTo(object) == before + 1);
    const PyRef moved = std::move(held);
    CHECK(referencesTo(object) == before + 1);
    CHECK(moved.get() == object.get());
  }
  CHECK(referencesTo(object) == before);
}

TEST_CASE("an attribute that is not there, or that raises, leaves an empty reference and the error") {
  const EmbeddedPython python(R"(
class Lazy:
    @property
    def shape(self):
        raise RuntimeError("not yet")
)");
  const PyRef object = python["Lazy()"];
  CHECK_FALSE(attribute(object.get(), "shape"));
  CHECK(PyErr_ExceptionMatches(PyExc_RuntimeError));
  PyErr_Clear();
  CHECK_FALSE(attribute(object.get(), "other"));
  CHECK(PyErr_ExceptionMatches(PyExc_AttributeError));
  PyErr_Clear();
  CHECK_FALSE(attribute(nullptr, "other"));
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("a guard restores the error that was pending, and drops one that came after") {
  {
    const PendingError pending;
    const ErrorGuard keep_errors;
    CHECK(PyErr_Occurred() == nullptr);
    PyErr_SetString(PyExc_KeyError, "after");
  }
  {
    const ErrorGuard keep_errors;
    PyErr_SetString(PyExc_KeyError, "after");
  }
  CHECK(PyErr_Occurred() == nullptr);
}

} // namespace
} // namespace commtap
