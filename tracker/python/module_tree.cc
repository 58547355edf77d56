// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_tree.h"

#include <string_view>

#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/graphs/compile_watch.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/compiler_names.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

/// Maximum nesting of modules per walk, which bounds the use of the job's stack. Deeper modules get ids when called.
constexpr uint32_t kMaxDepth = 200;
constexpr size_t kMaxPrefix = 2000; ///< characters of containers' names; stops at a container that contains itself

CommtapModuleRole roleOf(PyObject* module) {
  if (inheritsFrom(module, torch_names::kDistributedDataParallel)) {
    return kCommtapDdp;
  }
  if (inheritsFrom(module, torch_names::kFullyShardedDataParallel)) {
    return kCommtapFsdp1;
  }
  return inheritsFrom(module, torch_names::kFsdpModule) ? kCommtapFsdp2 : kCommtapPlain;
}

class Deeper {
 public:
  explicit Deeper(uint32_t& depth) : depth_(depth) {
    ++depth_;
  }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() {
    --depth_;
  }

 private:
  uint32_t& depth_;
};

/// Returns true for a module that only holds modules and is never called. It has no row; its name is part of its
/// children's names.
bool isContainer(PyObject* module) {
  return inheritsFrom(module, torch_names::kModuleList) || inheritsFrom(module, torch_names::kModuleDict);
}

/// Returns true for a graph that the compiler made from a module. Its calls belong to the compiled module.
bool isGenerated(PyObject* module) {
  return inheritsFrom(module, torch_names::kGraphModule);
}

/// Returns whether `is_wanted` is true for one of the `most` innermost functions of this thread.
template <typename Wanted>
bool isRunning(int most, const Wanted& is_wanted) {
  struct Search {
    const Wanted& is_wanted;
    bool is_found = false;
  } search{is_wanted};
  const auto note = [](const PyCodeObject* code, void* data) {
    auto& into = *static_cast<Search*>(data);
    into.is_found = into.is_wanted(code);
    return static_cast<int>(into.is_found);
  };
  commtap_visit_codes(most, note, &search);
  return search.is_found;
}

bool isNamed(const PyCodeObject* code, std::string_view name) {
  return asciiOf(code->co_name) == name;
}

/// Returns whether this thread runs a backward.
bool runsBackward() {
  constexpr int kMost = 200;
  return isRunning(kMost, [](const PyCodeObject* code) { return isNamed(code, torch_names::kRunBackward); });
}

/// Returns whether a compiler's code calls the graph of a function, in which no module runs: a job calls a graph as a
/// module, and not its forward. A region's graph is called by the code of another graph.
bool isCalledAsFunction() {
  constexpr int kMost = 8; // torch's functions for the call of a graph and of a module
  constexpr int kThroughTorch = 40;
  const auto is_compilers = [](const PyCodeObject* code) {
    return isNamed(code, torch_names::kLazyForward) || isNamed(code, torch_names::kFakeDispatch);
  };
  return isRunning(kMost, is_compilers) || isRunning(kThroughTorch, [](const PyCodeObject* code) {
           return asciiOf(code->co_filename).starts_with(torch_names::kGraphFile);
         });
}

/// Returns true for a generated graph that is never a model of the job's, and for the wrapper that compiles it.
bool isCompilersGraph(PyObject* module) {
  PyObject* const graph = wrappedBy(module);
  const std::string name = className(graph);
  return isGenerated(graph) && (name.starts_with(torch_names::kBackwardGraph) ||
                                (name == torch_names::kTracedFunction && runsBackward()) || isCalledAsFunction());
}

/// Returns whether calls of a module run what a compiler made of it.
bool isCompiled(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* call = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kCompiledCall);
  return inheritsFrom(module, torch_names::kCompiledModule) || (call != nullptr && call != Py_None);
}

bool isEmpty(PyObject* module, const char* table) {
  PyObject* dict = dictOf(module);
  PyObject* held = dict == nullptr ? nullptr : PyDict_GetItemString(dict, table);
  return held == nullptr || (PyDict_Check(held) && PyDict_GET_SIZE(held) == 0);
}

bool ownsParameter(PyObject* module, PyObject* parameter) {
  PyObject* parameters = parametersOf(module);
  PyObject* name = nullptr;
  PyObject* owned = nullptr;
  for (Py_ssize_t at = 0; parameters != nullptr && PyDict_Next(parameters, &at, &name, &owned) != 0;) {
    if (owned == parameter) {
      return true;
    }
  }
  return false;
}

/// Returns whether `module` only computes from a parameter of `caller` what `caller` uses for it. One such module can
/// serve any number of callers, as the parametrization in torchtitan's SimpleFSDP does: its calls belong to them.
bool isPartOfParameter(PyObject* module, PyObject* argument, PyObject* caller) {
  return argument != nullptr && isEmpty(module, torch_names::kParameters) && isEmpty(module, torch_names::kBuffers) &&
         isEmpty(module, torch_names::kModules) && ownsParameter(caller, argument);
}

} // namespace

uint32_t ModuleTree::add(PyObject* module, PyObject* argument) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  watchDeath();
  if (isGenerated(module)) {
    host_.compiled_code_found();
  }
  uint32_t caller = host_.current_module();
  if (PyObject* calling = map_.object(caller)) {
    addChildren(calling, caller, ""); // the caller may have registered it since its last walk
    if (const uint32_t id = map_.find(module); id != ModuleMap::kUnknown) {
      return id;
    }
    if (isPartOfParameter(module, argument, calling) && map_.add(module, ModuleMap::kTransparent)) {
      return ModuleMap::kTransparent;
    }
    caller = isGenerated(calling) ? 0 : caller; // a graph holds the modules that it calls
  }
  if ((caller != 0 ? isGenerated(module) : isCompilersGraph(module)) && map_.add(module, ModuleMap::kTransparent)) {
    return ModuleMap::kTransparent;
  }
  if (const uint32_t id = caller == 0 ? addBelowOwner(module) : ModuleMap::kUnknown; id != ModuleMap::kUnknown) {
    return id;
  }
  return addAt(module, placeByClass(module, module, caller));
}

/// Adds the tree of the module that registers `module`, which is called outside of every call of a module. Returns
/// kUnknown if no such module is found.
uint32_t ModuleTree::addBelowOwner(PyObject* module) {
  const PyRef owner = PyRef::borrow(owner_search_.ownerOf(module));
  if (owner_search_.gaveUp()) {
    host_.not_seen_module(className(module).c_str());
  }
  if (!owner) {
    return ModuleMap::kUnknown;
  }
  const uint32_t known = map_.find(owner.get());
  if (known == ModuleMap::kUnknown) {
    addAt(owner.get(), placeByClass(owner.get(), owner.get(), 0));
  } else if (known != ModuleMap::kTransparent) {
    addChildren(owner.get(), known, "");
  }
  return map_.find(module);
}

ModuleTree::Place ModuleTree::placeByClass(PyObject* module, PyObject* wrapped, uint32_t parent) {
  return {parent, className(module), false, userClassName(wrappedBy(wrapped))};
}

uint32_t ModuleTree::addUnfinished(PyObject* module, PyObject* wrapped) {
  const ErrorGuard keep_errors;
  PyRef reference(PyWeakref_NewRef(module, nullptr));
  if (!reference) {
    return ModuleMap::kTransparent;
  }
  const uint32_t id = newId(module, placeByClass(module, wrapped, 0), wrapped);
  if (id == 0) { // the table is full
    return ModuleMap::kTransparent;
  }
  unfinished_[module] = {std::move(reference), id};
  return id;
}

uint32_t ModuleTree::findUnfinished(PyObject* module) const {
  const uint32_t id = map_.find(module);
  const auto early = unfinished_.find(module);
  const bool is_early = id == ModuleMap::kUnknown && early != unfinished_.end() &&
                        PyWeakref_GetObject(early->second.first.get()) == module; // else another object's address
  return is_early ? early->second.second : id;
}

/// Returns the module's id at its place: a new one, or the one that it has had since its constructor.
uint32_t ModuleTree::idAt(PyObject* module, const Place& place) {
  const auto early = unfinished_.find(module);
  if (early != unfinished_.end()) {
    const auto [reference, id] = std::move(early->second);
    unfinished_.erase(early);
    if (PyWeakref_GetObject(reference.get()) == module) { // else another object had this address
      if (place.parent != 0) {
        host_.reparent_module(id, place.parent, place.component.c_str(), place.wrapper ? 1 : 0);
      }
      return id;
    }
    host_.module_died(id);
  }
  return newId(module, place, place.clean.empty() ? nullptr : directlyWrappedBy(module));
}

/// Returns the id of `module` or, if it has none yet, of the outermost module that it wraps and that has one.
uint32_t ModuleTree::idOfWrapped(PyObject* module) const {
  for (int depth = 0; module != nullptr && depth < kMaxWrapperNesting; ++depth) {
    if (const uint32_t id = findUnfinished(module); id != ModuleMap::kUnknown) {
      return id;
    }
    module = directlyWrappedBy(module);
  }
  return ModuleMap::kUnknown;
}

uint32_t ModuleTree::newId(PyObject* module, const Place& place, PyObject* wrapped) {
  const std::string classes = classChain(module);
  const CommtapModuleFacts facts = {
      .parent = place.parent,
      .component = place.component.c_str(),
      .class_name = classes.c_str(),
      .clean = place.clean.c_str(),
      .wrapped = idOfWrapped(wrapped),
      .role = roleOf(module),
      .wrapper = place.wrapper ? 1 : 0};
  return host_.add_module(&facts);
}

uint32_t ModuleTree::addAt(PyObject* module, const Place& place) {
  const uint32_t id = idAt(module, place);
  if (id == place.parent) { // the table is full: attribute its calls to its callers
    return map_.add(module, ModuleMap::kTransparent) ? ModuleMap::kTransparent : id;
  }
  if (!map_.add(module, id)) {
    return id; // the object has no weak references or the table is full
  }
  if (isCompiled(module)) {
    host_.compiled_code_found();
  }
  if (PyObject* dict = dictOf(module)) {
    reportParameters(host_, dict, id);
    if (inheritsFrom(module, torch_names::kFullyShardedDataParallel)) {
      reportFlatParameter(host_, dict, id);
    }
  }
  addChildren(module, id, "");
  if (place.parent == 0) { // children that were roots so far may have had its name
    host_.reparent_module(id, 0, place.component.c_str(), 0);
  }
  return id;
}

void ModuleTree::addChildren(PyObject* module, uint32_t parent, const std::string& prefix) {
  const PyRef children = PyRef::borrow(childrenOf(module));
  if (!children || prefix.size() > kMaxPrefix) {
    return;
  }
  if (depth_ == kMaxDepth) {
    host_.not_seen_module(className(module).c_str());
    return;
  }
  const Deeper deeper(depth_);
  PyObject* name = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(children.get(), &at, &name, &child) != 0;) {
    if (child != Py_None) {
      const PyRef keep = PyRef::borrow(child);
      addChild(module, child, parent, prefix + textOf(name));
    }
  }
}

void ModuleTree::addChild(PyObject* module, PyObject* child, uint32_t parent, const std::string& component) {
  if (isContainer(child)) {
    addChildren(child, parent, component + ".");
    return;
  }
  const uint32_t known = map_.find(child);
  if (known == ModuleMap::kUnknown) {
    addAt(child, {parent, component, isWrapperComponent(module, component.c_str()), ""});
  } else {
    host_.reparent_module(known, parent, component.c_str(), isWrapperComponent(module, component.c_str()) ? 1 : 0);
  }
}

/// Installs the callback that every weak reference calls when its module is destroyed.
void ModuleTree::watchDeath() {
  static PyMethodDef method = {"commtap_module_died", onDeath, METH_O, nullptr};
  if (!watching_) {
    watching_ = true;
    const PyRef self(PyCapsule_New(this, nullptr, nullptr));
    map_.setDeathCallback(self ? PyCFunction_New(&method, self.get()) : nullptr);
    PyErr_Clear();
  }
}

PyObject* ModuleTree::onDeath(PyObject* self, PyObject* weak_reference) {
  const ErrorGuard keep_errors;
  auto* tree = static_cast<ModuleTree*>(PyCapsule_GetPointer(self, nullptr));
  const uint32_t id = tree == nullptr ? ModuleMap::kUnknown : tree->map_.erase(weak_reference);
  if (id != ModuleMap::kUnknown && id != ModuleMap::kTransparent) {
    tree->host_.module_died(id);
  }
  Py_RETURN_NONE;
}

} // namespace commtap
