// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/graph_nodes.h"

#include <deque>

namespace commtap {
namespace {

/// Returns the entry of a dict; empty if it has none or is no dict.
PyRef entry(const PyRef& dict, const char* key) {
  return PyRef::borrow(dict && PyDict_Check(dict.get()) ? PyDict_GetItemString(dict.get(), key) : nullptr);
}

/// Returns whether a source reads what a class holds, as a property's getter does. A module there is in no place of the
/// model: it belongs to the module that calls it.
bool isOfClass(const std::string& source) {
  return source.find("type(") != std::string::npos;
}

/// Returns the source of a stack's innermost module that is in a place of the model; "" for no stack.
std::string innermostOf(const PyRef& stack) {
  std::string innermost;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (stack && PyDict_Check(stack.get()) && PyDict_Next(stack.get(), &position, &key, &value) != 0) {
    const bool is_pair = PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 0;
    const std::string source =
        is_pair && PyUnicode_Check(PyTuple_GET_ITEM(value, 0)) ? textOf(PyTuple_GET_ITEM(value, 0)) : std::string();
    innermost = isOfClass(source) ? innermost : source;
  }
  return innermost;
}

bool isPlain(const std::string& source) {
  return source.find_first_of("\t\n\r") == std::string::npos;
}

void append(std::string& place, const std::string& source) {
  if (!source.empty() && isPlain(source)) {
    place += "\t" + source;
  }
}

bool isSplit(PyObject* node) {
  const PyRef target = attribute(node, torch_names::kNodeTarget);
  return target && textOf(target.get()).starts_with(torch_names::kSplit);
}

/// Returns the second argument of a node; empty if it has none.
PyRef sizesOf(PyObject* split) {
  const PyRef arguments = attribute(split, torch_names::kNodeArguments);
  const bool has_sizes = arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 1;
  return PyRef(has_sizes ? PySequence_List(PyTuple_GET_ITEM(arguments.get(), 1)) : nullptr);
}

/// Returns the sizes of the parts that a merged collective's result is taken apart into, a list; empty if they cannot
/// be found. The node that does so follows closely: a wait and a view lie between.
PyRef partSizes(PyObject* node) {
  constexpr int kMost = 16; // nodes
  std::deque<PyRef> next;
  next.push_back(PyRef::borrow(node));
  for (int i = 0; i < kMost && !next.empty(); ++i) {
    const PyRef at = std::move(next.front());
    next.pop_front();
    if (isSplit(at.get())) {
      return sizesOf(at.get());
    }
    const PyRef users = attribute(at.get(), torch_names::kNodeUsers);
    const PyRef list(users && PyDict_Check(users.get()) ? PyDict_Keys(users.get()) : nullptr);
    for (Py_ssize_t user = 0; list && user < PyList_GET_SIZE(list.get()); ++user) {
      next.push_back(PyRef::borrow(PyList_GET_ITEM(list.get(), user)));
    }
  }
  return {};
}

/// Appends the sizes of `count` parts; nothing if they are not known, or are not numbers but symbols.
void appendSizes(std::string& place, PyObject* node, Py_ssize_t count) {
  const PyRef sizes = partSizes(node);
  if (!sizes || PyList_GET_SIZE(sizes.get()) != count) {
    return;
  }
  std::string text;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const size = PyList_GET_ITEM(sizes.get(), i);
    const long long number = PyLong_Check(size) ? PyLong_AsLongLong(size) : -1;
    if (number < 0) {
      return;
    }
    text += " " + std::to_string(number);
  }
  place += text;
}

/// Appends the sizes and sources of the nodes that a pass merged into one. Returns false if there are none.
bool appendMerged(std::string& place, PyObject* node, const PyRef& stacks) {
  const Py_ssize_t count = stacks && PyList_Check(stacks.get()) ? PyList_GET_SIZE(stacks.get()) : 0;
  std::string sources;
  Py_ssize_t known = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const size_t before = sources.size();
    append(sources, innermostOf(PyRef::borrow(PyList_GET_ITEM(stacks.get(), i))));
    known += sources.size() > before ? 1 : 0;
  }
  if (known > 1 && known == count) {
    appendSizes(place, node, count);
  }
  place += sources;
  return known > 0;
}

/// Returns whether a node was traced in a backward. Such a node has the modules of a forward if Dynamo traced it: the
/// backward of a torch.autograd.Function.
bool isOfBackward(const PyRef& facts) {
  if (const PyRef partition = entry(facts, torch_names::kPartition); partition && partition.get() != Py_None) {
    return asciiOf(partition.get()) == torch_names::kBackwardTag;
  }
  return entry(facts, torch_names::kTracedInBackward).get() == Py_True;
}

} // namespace

bool isCall(PyObject* node) {
  const PyRef kind = attribute(node, torch_names::kNodeKind);
  return kind && asciiOf(kind.get()).starts_with(torch_names::kCalls);
}

std::string placeOfNode(PyObject* node) {
  const PyRef facts = attribute(node, torch_names::kNodeFacts);
  const std::string backward = innermostOf(entry(facts, torch_names::kBackwardStack));
  std::string place(backward.empty() && !isOfBackward(facts) ? "f" : "b");
  const char* const merged = backward.empty() ? torch_names::kMergedForwardStacks : torch_names::kMergedBackwardStacks;
  if (!appendMerged(place, node, entry(facts, merged))) {
    append(place, backward.empty() ? innermostOf(entry(facts, torch_names::kForwardStack)) : backward);
  }
  if (place.size() == 1) {
    const PyRef named = entry(entry(facts, torch_names::kAnnotations), torch_names::kAnnotatedModule);
    append(place, named && PyUnicode_Check(named.get()) ? textOf(named.get()) : std::string());
  }
  PyErr_Clear();
  return place;
}

std::string sourceOfNode(PyObject* node) {
  const PyRef facts = attribute(node, torch_names::kNodeFacts);
  std::string source = innermostOf(entry(facts, torch_names::kBackwardStack));
  if (source.empty()) {
    source = innermostOf(entry(facts, torch_names::kForwardStack));
  }
  PyErr_Clear();
  return isPlain(source) ? source : std::string();
}

} // namespace commtap
