// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/compiled_sites.h"

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/graphs/compile_watch.h"
#include "tracker/graphs/graph_nodes.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

/// Names are interned, so their addresses are enough.
const PyObject* call_module = nullptr;
const PyObject* run_backward = nullptr;
const PyObject* run_node = nullptr;

bool isFxGraph(std::string_view file) {
  return file.starts_with(torch_names::kGraphFile);
}

/// Returns whether torch's code cache has given the file its name: a hash, in a folder named by the hash's second and
/// third character.
bool isGeneratedFile(std::string_view file) {
  constexpr std::string_view kEnd = ".py";
  constexpr size_t kShortest = 32;
  constexpr size_t kFolder = 2;
  const size_t slash = file.rfind('/');
  if (slash == std::string_view::npos || slash < kFolder + 1 || !file.ends_with(kEnd)) {
    return false;
  }
  const std::string_view name = file.substr(slash + 1, file.size() - slash - 1 - kEnd.size());
  return name.size() >= kShortest && file[slash - kFolder - 1] == '/' &&
         file.substr(slash - kFolder, kFolder) == name.substr(1, kFolder);
}

/// A walk from a collective outwards, to the graph's code that calls it, and on to the calls of its regions.
struct SiteSearch {
  CommtapSite& site;
  int left;        ///< functions to look at for the next call
  int regions = 0; ///< found
};

/// Returns whether a function is a graph's code, and sets its call.
bool isGraphCall(const PyCodeObject* code, const void* instruction, CommtapGraphCall& call) {
  const std::string_view file = asciiOf(code->co_filename);
  const bool is_interpreter = code->co_name == run_node && file.ends_with(torch_names::kInterpreterFile);
  if (is_interpreter || isFxGraph(file) || isGeneratedFile(file)) {
    call = {code, is_interpreter ? nullptr : instruction};
    return true;
  }
  return false;
}

/// Returns in how many functions around a graph's code the call of a region can be: a generated file calls its own
/// functions, and a graph's code calls another's through torch's.
int distanceOfRegion(const PyCodeObject* code) {
  constexpr int kThroughTorch = 40;
  return isGeneratedFile(asciiOf(code->co_filename)) ? 1 : kThroughTorch;
}

int noteSite(const PyCodeObject* code, const void* instruction, void* data) {
  auto& search = *static_cast<SiteSearch*>(data);
  CommtapSite& site = search.site;
  const bool is_found = site.collective.code != nullptr;
  if (search.left-- == 0 || code->co_name == run_backward || (code->co_name == call_module && !is_found)) {
    return 1;
  }
  CommtapGraphCall call{};
  if (isGraphCall(code, instruction, call)) {
    (is_found ? site.regions[search.regions++] : site.collective) = call;
    search.left = distanceOfRegion(code);
  }
  return search.regions == kCommtapMostRegions ? 1 : 0;
}

PyFrameObject* asFrame(const PyRef& frame) {
  return reinterpret_cast<PyFrameObject*>(frame.get());
}

/// Returns the frame of a function on this thread for whose code `is_wanted` returns true; empty if there is none.
template <typename Wanted>
PyRef frameWhere(const Wanted& is_wanted) {
  constexpr int kMost = 200;
  PyRef frame = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int i = 0; frame && i < kMost; ++i, frame = compat::callerOf(frame.get())) {
    const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(asFrame(frame))));
    if (is_wanted(reinterpret_cast<PyCodeObject*>(code.get()))) {
      return frame;
    }
  }
  return {};
}

PyRef frameOf(const CommtapGraphCall& call) {
  return frameWhere([&call](const PyCodeObject* code) { return code == call.code; });
}

/// Returns the node of the line that runs in the code of an FX graph; empty if it is not known.
PyRef nodeAt(const PyRef& frame, const PyCodeObject* code) {
  const PyRef module(commtap_local(asFrame(frame), torch_names::kSelf));
  const PyRef lines = attribute(module.get(), torch_names::kGraphLines);
  if (!lines || !PyDict_Check(lines.get())) {
    return {};
  }
  const PyRef line(PyLong_FromLong(PyFrame_GetLineNumber(asFrame(frame)) - code->co_firstlineno));
  PyObject* const index = line ? PyDict_GetItemWithError(lines.get(), line.get()) : nullptr;
  const PyRef graph = attribute(module.get(), torch_names::kGraph);
  const PyRef view = attribute(graph.get(), torch_names::kNodes);
  const PyRef nodes(view ? PySequence_List(view.get()) : nullptr);
  const Py_ssize_t at = index != nullptr && PyLong_Check(index) ? PyLong_AsSsize_t(index) : -1;
  return PyRef::borrow(
      nodes && at >= 0 && at < PyList_GET_SIZE(nodes.get()) ? PyList_GET_ITEM(nodes.get(), at) : nullptr);
}

/// Returns the place of the node that a graph's code calls; "" if it is not known.
std::string placeOfCall(const PyRef& node) {
  std::string region = node ? regionCall(node.get()) : std::string();
  return !node || !region.empty() ? region : placeOfNode(node.get());
}

/// Returns whether the code is what Dynamo made of a function: it calls a function of Dynamo's.
bool callsCompiled(const PyCodeObject* code) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    if (asciiOf(PyTuple_GET_ITEM(code->co_names, i)).starts_with(torch_names::kCompiledFunction)) {
      return true;
    }
  }
  return false;
}

/// Takes the next step of a source off it: ".name", "['name']" or "[0]". Returns "" if it is another.
std::string nextStep(std::string_view& source) {
  if (source.starts_with('.')) {
    const size_t end = source.find_first_of(".[", 1);
    const std::string_view name = source.substr(1, end == std::string_view::npos ? end : end - 1);
    source.remove_prefix(1 + name.size());
    return std::string(name);
  }
  const size_t end = source.starts_with('[') ? source.find(']') : std::string_view::npos;
  if (end == std::string_view::npos) {
    return {};
  }
  std::string_view name = source.substr(1, end - 1);
  source.remove_prefix(end + 1);
  const bool is_quoted =
      name.size() >= 2 && (name.front() == '\'' || name.front() == '"') && name.back() == name.front();
  return std::string(is_quoted ? name.substr(1, name.size() - 2) : name);
}

/// Returns the variable with which a source begins, and takes it off.
PyRef variableOf(const PyRef& frame, std::string_view& source) {
  const bool is_local = source.starts_with("L[");
  if (!is_local && !source.starts_with("G[")) {
    return {};
  }
  source.remove_prefix(1);
  const std::string name = nextStep(source);
  if (is_local) {
    return PyRef(commtap_local(asFrame(frame), name.c_str()));
  }
  const PyRef globals = attribute(frame.get(), "f_globals");
  return PyRef::borrow(globals ? PyDict_GetItemString(globals.get(), name.c_str()) : nullptr);
}

/// Returns an attribute, or an item of a container.
PyRef step(const PyRef& from, const std::string& name) {
  PyRef found = attribute(from.get(), name.c_str());
  if (found) {
    return found;
  }
  PyErr_Clear();
  const bool is_number = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  if (is_number && (PyList_Check(from.get()) || PyTuple_Check(from.get()))) {
    return PyRef(PySequence_GetItem(from.get(), std::atol(name.c_str())));
  }
  return PyRef(PyDict_Check(from.get()) ? PyMapping_GetItemString(from.get(), name.c_str()) : nullptr);
}

bool isModule(const PyRef& object) {
  static PyObject* type = nullptr; // torch.nn.Module lives as long as the process
  if (type == nullptr) {
    PyObject* file = PyDict_GetItemString(PyImport_GetModuleDict(), torch_names::kModuleFile);
    PyRef found = attribute(file, torch_names::kModuleClass);
    type = Py_XNewRef(found.get());
  }
  return object && type != nullptr && PyObject_TypeCheck(object.get(), reinterpret_cast<PyTypeObject*>(type)) != 0;
}

} // namespace

void startCompiledSites() {
  call_module = PyUnicode_InternFromString(torch_names::kCallModule);
  run_backward = PyUnicode_InternFromString(torch_names::kRunBackward);
  run_node = PyUnicode_InternFromString(torch_names::kRunNode);
}

bool findSite(int most, CommtapSite& site) {
  constexpr int kMostFunctions = 200;
  site = {};
  SiteSearch search{site, most};
  commtap_visit_places(kMostFunctions, noteSite, &search);
  return site.collective.code != nullptr;
}

CallFacts readCall(const CommtapGraphCall& call) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  CallFacts facts;
  const PyRef frame = frameOf(call);
  if (!frame) {
    return facts;
  }
  const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(asFrame(frame))));
  const auto* const known = reinterpret_cast<const PyCodeObject*>(code.get());
  if (call.instruction == nullptr) {
    facts.text = placeOfCall(PyRef(commtap_local(asFrame(frame), torch_names::kInterpretedNode)));
  } else if (isFxGraph(asciiOf(known->co_filename))) {
    facts.text = placeOfCall(nodeAt(frame, known));
  } else {
    facts.line = static_cast<uint32_t>(PyFrame_GetLineNumber(asFrame(frame)));
    facts.text = textOf(known->co_filename);
  }
  return facts;
}

std::vector<PyRef> modulesAlong(const CommtapSite& site, const char* source) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  std::vector<PyRef> modules;
  const PyRef frame = frameOf(site.collective) ? frameWhere(callsCompiled) : PyRef();
  std::string_view rest(source);
  PyRef object = frame ? variableOf(frame, rest) : PyRef();
  for (; isModule(object) || (object && !rest.empty()); object = step(object, nextStep(rest))) {
    if (isModule(object)) {
      modules.push_back(PyRef::borrow(object.get()));
    }
    if (rest.empty()) {
      return modules;
    }
  }
  modules.clear();
  return modules;
}

int64_t forwardNode(const CommtapSite& site) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  bool is_graph_seen = false; // else its forward is another graph's
  const PyRef frame = frameWhere([&](const PyCodeObject* code) {
    is_graph_seen = is_graph_seen || code == site.collective.code;
    return is_graph_seen && code != site.collective.code && asciiOf(code->co_name) == torch_names::kForwardOfGraph &&
           asciiOf(code->co_filename).ends_with(torch_names::kForwardFile);
  });
  const PyRef node(frame ? commtap_local(asFrame(frame), torch_names::kNodeOfGraph) : nullptr);
  const PyRef number(node ? PyObject_CallMethod(node.get(), torch_names::kNodeNumber, nullptr) : nullptr);
  return number && PyLong_Check(number.get()) ? PyLong_AsLongLong(number.get()) : -1;
}

} // namespace commtap
