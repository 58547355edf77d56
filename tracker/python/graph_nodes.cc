// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/graph_nodes.h"

#include "tracker/cpython/py_ref.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {
namespace {

/// Returns the entry of a dict; empty if it has none or is no dict.
PyRef entry(const PyRef& dict, const char* key) {
  return PyRef::borrow(dict && PyDict_Check(dict.get()) ? PyDict_GetItemString(dict.get(), key) : nullptr);
}

/// Returns the source of a stack's innermost module; "" for no stack.
std::string innermostOf(const PyRef& stack) {
  if (!stack || !PyDict_Check(stack.get()) || PyDict_GET_SIZE(stack.get()) == 0) {
    return {};
  }
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(stack.get(), &position, &key, &value) != 0) {
  }
  const bool is_pair = value != nullptr && PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 0;
  return is_pair && PyUnicode_Check(PyTuple_GET_ITEM(value, 0)) ? textOf(PyTuple_GET_ITEM(value, 0)) : std::string();
}

void append(std::string& place, const std::string& source) {
  const bool is_plain = source.find_first_of("\t\n\r") == std::string::npos;
  if (!source.empty() && is_plain) {
    place += "\t" + source;
  }
}

/// Appends the sources of the nodes that a pass merged into one. Returns false if there are none.
bool appendMerged(std::string& place, const PyRef& facts, const char* key) {
  const PyRef stacks = entry(facts, key);
  const size_t before = place.size();
  for (Py_ssize_t i = 0; stacks && PyList_Check(stacks.get()) && i < PyList_GET_SIZE(stacks.get()); ++i) {
    append(place, innermostOf(PyRef::borrow(PyList_GET_ITEM(stacks.get(), i))));
  }
  return place.size() > before;
}

} // namespace

std::string placeOfNode(PyObject* node) {
  const PyRef facts = attribute(node, torch_names::kNodeFacts);
  const std::string backward = innermostOf(entry(facts, torch_names::kBackwardStack));
  std::string place(backward.empty() ? "f" : "b");
  const char* const merged = backward.empty() ? torch_names::kMergedForwardStacks : torch_names::kMergedBackwardStacks;
  if (!appendMerged(place, facts, merged)) {
    append(place, backward.empty() ? innermostOf(entry(facts, torch_names::kForwardStack)) : backward);
  }
  if (place.size() == 1) {
    const PyRef named = entry(entry(facts, torch_names::kAnnotations), torch_names::kAnnotatedModule);
    append(place, named && PyUnicode_Check(named.get()) ? textOf(named.get()) : std::string());
  }
  PyErr_Clear();
  return place;
}

} // namespace commtap
