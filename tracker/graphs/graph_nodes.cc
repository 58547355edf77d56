// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/graph_nodes.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tracker/cpython/py_ref.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/function_names.h"

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

/// Returns whether no node of a node's graph was traced in a module: the graph is of a function that calls none.
bool isWithoutModules(PyObject* node) {
  bool found = false;
  bool any = false;
  forEachNode(attribute(node, torch_names::kNodeGraph), [&found, &any](PyObject* each) {
    any = true;
    const PyRef facts = attribute(each, torch_names::kNodeFacts);
    for (const char* stack : {torch_names::kForwardStack, torch_names::kBackwardStack}) {
      const PyRef modules = entry(facts, stack);
      found = found || (modules && PyDict_Check(modules.get()) && PyDict_GET_SIZE(modules.get()) > 0);
    }
  });
  return any && !found;
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
  if (place == "b" && isWithoutModules(node)) {
    place = "B";
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

namespace {

/// Returns what a node calls; "" if it calls nothing.
std::string calledBy(PyObject* node) {
  const PyRef target = isCall(node) ? attribute(node, torch_names::kNodeTarget) : PyRef();
  return target ? textOf(target.get()) : std::string();
}

/// Returns the name of the region that a node calls: that of a GraphModule in the graph's own.
PyRef regionName(PyObject* node) {
  const PyRef arguments = attribute(node, torch_names::kNodeArguments);
  const bool has_any = arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 0;
  PyRef name = attribute(has_any ? PyTuple_GET_ITEM(arguments.get(), 0) : nullptr, torch_names::kNodeTarget);
  return name && PyUnicode_Check(name.get()) ? std::move(name) : PyRef();
}

/// Returns the graph of the region that a node calls; empty if it cannot be read.
PyRef regionOf(PyObject* node) {
  return attribute(regionModule(node).get(), torch_names::kGraph);
}

/// Calls visit(node) for the nodes of the region that `node` calls, and of those that it calls.
template <typename Visit>
void forEachBelow(PyObject* node, const Visit& visit) {
  forEachNode(regionOf(node), [&visit](PyObject* below) {
    visit(below);
    if (isRegionCall(below)) {
      forEachBelow(below, visit);
    }
  });
}

/// Returns the name by which Inductor's comments know a node: that of the node from which it was made, if it was.
std::string nameOf(PyObject* node) {
  const PyRef facts = attribute(node, torch_names::kNodeFacts);
  PyObject* const sources =
      facts && PyDict_Check(facts.get()) ? PyDict_GetItemString(facts.get(), torch_names::kSourcesOfNode) : nullptr;
  const bool has_any = sources != nullptr && PyList_Check(sources) && PyList_GET_SIZE(sources) > 0;
  const PyRef name = attribute(has_any ? PyList_GET_ITEM(sources, 0) : node, torch_names::kNodeName);
  return name ? textOf(name.get()) : std::string();
}

/// Returns the sources of the calls in a graph that have one.
std::vector<std::string> sourcesIn(const PyRef& graph) {
  std::vector<std::string> sources;
  forEachNode(graph, [&sources](PyObject* node) {
    if (std::string source = isCall(node) ? sourceOfNode(node) : std::string(); !source.empty()) {
      sources.push_back(std::move(source));
    }
  });
  return sources;
}

/// Returns the sources of the nodes in a graph that call a region.
std::vector<std::string> callersIn(const PyRef& graph) {
  std::vector<std::string> callers;
  forEachNode(graph, [&callers](PyObject* node) {
    if (isRegionCall(node)) {
      callers.push_back(sourceOfNode(node));
    }
  });
  return callers;
}

/// Returns the innermost caller that holds all modules of a region: the one for which it was traced.
std::optional<std::string> tracedFor(const std::vector<std::string>& callers, const std::vector<std::string>& region) {
  std::optional<std::string> innermost;
  for (const std::string& caller : callers) {
    const bool holds_all = std::all_of(region.begin(), region.end(), [&caller](const std::string& source) {
      return torch_names::isBelow(source, caller);
    });
    if (holds_all && (!innermost || caller.size() > innermost->size())) {
      innermost = caller;
    }
  }
  return innermost;
}

} // namespace

bool isRegionCall(PyObject* node) {
  const bool is_one = calledBy(node) == torch_names::kRegion;
  PyErr_Clear();
  return is_one;
}

PyRef regionModule(PyObject* node) {
  const PyRef name = regionName(node);
  const PyRef graph = attribute(node, torch_names::kNodeGraph);
  const PyRef owner = attribute(graph.get(), torch_names::kGraphOwner);
  return PyRef(owner && name ? PyObject_GetAttr(owner.get(), name.get()) : nullptr);
}

std::string regionCall(PyObject* node) {
  const std::vector<std::string> region = isRegionCall(node) ? sourcesIn(regionOf(node)) : std::vector<std::string>();
  if (region.empty()) {
    PyErr_Clear();
    return {};
  }
  const std::vector<std::string> callers = callersIn(attribute(node, torch_names::kNodeGraph));
  const std::string here = sourceOfNode(node);
  const std::optional<std::string> traced = tracedFor(callers, region);
  PyErr_Clear();
  const bool has_modules = traced && !traced->empty() && !here.empty();
  const bool is_flat = traced && std::count(region.begin(), region.end(), *traced) == std::ssize(region);
  const bool is_distinct = is_flat || std::count(callers.begin(), callers.end(), here) == 1;
  if (!traced || (callers.size() > 1 && !(has_modules && is_distinct))) {
    return "r";
  }
  return here == *traced ? std::string() : "r\t" + *traced + "\t" + here;
}

std::string regionCallBelow(PyObject* node, std::string_view name) {
  std::set<std::string> found;
  const auto visit = [&found, name](PyObject* each) {
    const PyRef region = isRegionCall(each) ? regionName(each) : PyRef();
    if (region && asciiOf(region.get()) == name) {
      found.insert(regionCall(each));
    }
  };
  visit(node);
  forEachBelow(node, visit);
  PyErr_Clear();
  return found.size() == 1 ? *found.begin() : "r";
}

std::string placeInRegion(PyObject* node, std::string_view called, const SourceNodes& sources) {
  std::set<std::string> found;
  forEachBelow(node, [&](PyObject* each) {
    const bool is_source = std::find(sources.names.begin(), sources.names.end(), nameOf(each)) != sources.names.end();
    if (is_source && plainOperator(calledBy(each)) == called) {
      found.insert(placeOfNode(each));
    }
  });
  PyErr_Clear();
  return found.size() == 1 ? *found.begin() : std::string();
}

namespace {

/// Returns whether a node calls one of autograd's functions: what it traces is no forward.
bool callsAutograd(PyObject* node) {
  const PyRef target = attribute(node, torch_names::kNodeTarget);
  const PyRef file = attribute(target.get(), torch_names::kFunctionFile);
  return file && asciiOf(file.get()).starts_with(torch_names::kAutogradFile);
}

/// Returns the GraphModule that a node names, which another node calls; empty for any other node.
PyRef partOf(const PyRef& module, PyObject* node) {
  const PyRef target = attribute(node, torch_names::kNodeTarget);
  PyRef part(
      !isCall(node) && target && PyUnicode_Check(target.get()) ? PyObject_GetAttr(module.get(), target.get())
                                                               : nullptr);
  const PyRef graph = attribute(part.get(), torch_names::kGraph);
  PyErr_Clear();
  return graph ? std::move(part) : PyRef();
}

} // namespace

DynamoGraph::DynamoGraph(PyObject* module) {
  add(PyRef::borrow(module));
  PyErr_Clear();
}

void DynamoGraph::add(const PyRef& module) {
  const PyRef graph = attribute(module.get(), torch_names::kGraph);
  const int number = graphs_++;
  int order = 0;
  std::vector<PyRef> parts;
  forEachNode(graph, [&](PyObject* node) {
    const PyRef name = attribute(node, torch_names::kNodeName);
    const bool is_known = isCall(node) && !callsAutograd(node);
    const auto [found, is_new] =
        nodes_.try_emplace(textOf(name.get()), Node{number, order++, is_known, sourceOfNode(node)});
    found->second.is_known = is_known && is_new;
    // A region is a part, and again one at each of its calls: none of its names is the only one.
    if (PyRef part = isRegionCall(node) ? regionModule(node) : partOf(module, node)) {
      parts.push_back(std::move(part));
    }
  });
  for (const PyRef& part : parts) {
    add(part);
  }
}

std::string DynamoGraph::sourceOf(const SourceNodes& sources) const {
  const Node* last = nullptr;
  for (const std::string_view name : sources.names) {
    const auto found = nodes_.find(name);
    const Node* const node = found == nodes_.end() || !found->second.is_known ? nullptr : &found->second;
    if (node == nullptr || (last != nullptr && last->graph != node->graph)) {
      return {};
    }
    last = last == nullptr || node->order > last->order ? node : last;
  }
  return last == nullptr ? std::string() : last->source;
}

std::vector<PlacedLines> DynamoGraph::linesIn(std::string_view file) const {
  std::vector<PlacedLines> found;
  const TextLines lines = linesOf(file);
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string_view called = operatorIn(lines[i]);
    const std::optional<SourceNodes> sources = called.empty() ? std::nullopt : sourceNodesIn(lines[i - 1]);
    if (!sources || !sources->is_sorted ||
        std::find(sources->operators.begin(), sources->operators.end(), called) == sources->operators.end()) {
      continue;
    }
    if (const std::string source = sourceOf(*sources); !source.empty()) {
      const long line = static_cast<long>(i) + 1;
      found.push_back({line, line, "o\t" + source});
    }
  }
  return found;
}

} // namespace commtap
