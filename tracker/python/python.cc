// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The tracker's Python part. Hooks module calls, record_function labels, and the creation of process groups and
// meshes.

#include <Python.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tracker/core/export.h"
#include "tracker/core/python_host.h"
#include "tracker/cpython/import_hook.h"
#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/compile_watch.h"
#include "tracker/graphs/compiled_sites.h"
#include "tracker/python/module_map.h"
#include "tracker/python/module_tree.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/running_work.h"
#include "tracker/python/sampled_step.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

/// One per process, leaked on purpose: module calls go on until the interpreter exits.
struct Part {
  explicit Part(const CommtapHost& tracker) : host(tracker), tree(tracker) {}

  const CommtapHost host; ///< a copy
  ModuleTree tree;
  KnownOptimizers optimizers;
  PyObject* register_group = nullptr; ///< owned; torch's original function
  std::vector<std::string> arguments; ///< sys.argv, as the tracker knows it
  CallHook module_call;
  CallHook label_enter;
  CallHook label_exit;
  CallHook ddp_constructor;
  CallHook fsdp1_constructor;
  CallHook mesh_constructor;
};

Part* part = nullptr;

void watchFsdp1IfImported();

uint32_t addModule(PyObject* module, PyObject* argument) noexcept {
  try {
    watchFsdp1IfImported();
    return part->tree.add(module, argument);
  } catch (const std::exception&) { // out of memory: attribute the call to the calling module
    return part->host.current_module();
  }
}

/// Returns the id to enter for a call of `module`, or ModuleMap::kTransparent. `argument`: the call's first, or null.
uint32_t idOf(PyObject* module, PyObject* argument = nullptr) {
  const uint32_t id = part->tree.find(module);
  return id != ModuleMap::kUnknown ? id : addModule(module, argument);
}

/// Runs between the tracker's hook and torch's own function while an observer is set.
PyObject* callObserved(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  const bool transparent = PyVectorcall_NARGS(flags) == 0 || idOf(arguments[0]) == ModuleMap::kTransparent;
  const vectorcallfunc own = part->module_call.own();
  return transparent ? own(function, arguments, flags, names)
                     : callWithObserver(own, function, arguments, flags, names);
}

void setOriginalCall(vectorcallfunc original) {
  part->host.set_original_call(reinterpret_cast<CommtapVectorcall>(original));
}

int observe(void* before, void* after) {
  if (part == nullptr || !setObserver(static_cast<PyObject*>(before), static_cast<PyObject*>(after))) {
    return -1;
  }
  setOriginalCall(before != nullptr || after != nullptr ? callObserved : part->module_call.own());
  return 0;
}

long moduleId(void* module, void* argument) {
  const uint32_t id = part == nullptr ? ModuleMap::kTransparent
                                      : idOf(static_cast<PyObject*>(module), static_cast<PyObject*>(argument));
  return id == ModuleMap::kTransparent ? -1 : static_cast<long>(id);
}

/// Returns the id of an object that frames name.
uint32_t idFor(CommtapInFrames what, PyObject* object) {
  if (what == kCommtapStepClosure) {
    return 0;
  }
  return what == kCommtapRunningForwards ? part->tree.find(object) : idOf(object);
}

/// Holds the GIL.
struct Gil {
  Gil() = default;
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;
  ~Gil() {
    PyGILState_Release(state);
  }
  const PyGILState_STATE state = PyGILState_Ensure();
};

/// Returns the result of `act`, which has the GIL; `fallback` if it is out of memory.
template <typename Result, typename Act>
Result withGil(Result fallback, const Act& act) {
  const Gil gil;
  try {
    return act();
  } catch (const std::exception&) {
    return fallback;
  }
}

size_t idsInFrames(CommtapInFrames what, uint32_t number, uint32_t* modules, size_t capacity) {
  return withGil<size_t>(0, [&] {
    size_t count = 0;
    for (const PyRef& found : modulesInFrames(what, number)) {
      const uint32_t id = idFor(what, found.get());
      if (id != ModuleMap::kTransparent && id != ModuleMap::kUnknown && count < capacity) {
        modules[count++] = id;
      }
    }
    return count;
  });
}

/// Returns a module's id also while its constructor runs.
uint32_t idOfUnfinished(PyObject* module) {
  const uint32_t id = part->tree.findUnfinished(module);
  return id != ModuleMap::kUnknown ? id : part->tree.addUnfinished(module, directlyWrappedBy(module));
}

CommtapWork workRunning(uint32_t* module) {
  return withGil(kCommtapOtherWork, [module] {
    const RunningWork work = runningWork();
    uint32_t id = 0;
    if (work.module) {
      id =
          work.what == kCommtapSetUp ? idOfUnfinished(work.module.get()) : part->tree.findUnfinished(work.module.get());
    }
    if (id == ModuleMap::kTransparent || id == ModuleMap::kUnknown) {
      return kCommtapOtherWork;
    }
    *module = id;
    return work.what;
  });
}

size_t tensorsInObjects(void* const* objects, size_t count, void* names, void** tensors, size_t capacity) {
  return part == nullptr ? 0 : tensorsIn(part->host, objects, count, names, tensors, capacity);
}

void* trainedParameterOf(void* module) {
  return part == nullptr ? nullptr : trainedParameter(part->host, static_cast<PyObject*>(module));
}

int siteRunning(int most, CommtapSite* site) {
  return findSite(most, *site) ? 1 : 0;
}

int factsOfCall(const CommtapGraphCall* call, uint32_t* line, CommtapTakeText take, void* data) {
  return withGil(0, [&] {
    const CallFacts facts = readCall(*call);
    *line = facts.line;
    if (facts.text.empty()) {
      return 0;
    }
    Py_INCREF(static_cast<PyObject*>(const_cast<void*>(call->code)));
    take(data, facts.text.c_str());
    return 1;
  });
}

/// The outermost module gives ids to those inside it, at their places.
uint32_t moduleAt(const CommtapSite* site, const char* source) {
  const uint32_t found = withGil(ModuleMap::kUnknown, [&] {
    uint32_t id = ModuleMap::kUnknown;
    for (const PyRef& module : modulesAlong(*site, source)) {
      id = idOf(module.get());
    }
    return id;
  });
  return found == ModuleMap::kTransparent ? ModuleMap::kUnknown : found;
}

int64_t nodeOfForward(const CommtapSite* site) {
  const Gil gil;
  return forwardNode(*site);
}

void sampleStepRunning(const CommtapStepSampler* sampler) {
  const Gil gil;
  try {
    sampleStep(part->host, part->tree.modules(), part->optimizers, *sampler);
  } catch (const std::exception&) { // out of memory: the sample has no more parameters
    part->host.not_seen_module("parameters of an optimizer");
  }
}

void gradientsOfStep(CommtapTakeGradient take, void* data) {
  const Gil gil;
  try {
    stepGradients(part->host, take, data);
  } catch (const std::exception&) { // out of memory: the gradients so far are known
    part->host.log_debug("the gradients of an optimizer could not be read");
  }
}

void buffersOfDdp(uint32_t ddp, CommtapTakeBuffer take, void* data) {
  withGil(0, [&] {
    const PlainTensors plain(part->host);
    PyObject* object = part->tree.modules().object(ddp);
    PyObject* dict = object == nullptr ? nullptr : dictOf(object);
    PyObject* buffers = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kDdpBuffers);
    PyObject* name = nullptr;
    PyObject* tensor = nullptr;
    for (Py_ssize_t at = 0; buffers != nullptr && PyDict_Next(buffers, &at, &name, &tensor) != 0;) {
      take(data, ddp, tensorImpl(tensor), textOf(name).c_str());
    }
    return 0;
  });
}

int watchCompiler() {
  const Gil gil;
  watchDynamo(part->host);
  return watchInductor(part->host) ? 1 : 0;
}

/// Returns sys.argv; {} if the job has put anything but strings there.
std::vector<std::string> currentArguments() {
  std::vector<std::string> arguments;
  PyObject* list = PySys_GetObject("argv");
  const Py_ssize_t count = list != nullptr && PyList_CheckExact(list) ? PyList_GET_SIZE(list) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* argument = PyList_GET_ITEM(list, i);
    if (!PyUnicode_CheckExact(argument)) {
      return {};
    }
    arguments.push_back(textOf(argument));
  }
  return arguments;
}

/// A forked child may have set arguments of its own. It has done so when it makes a group.
void tellArguments() {
  std::vector<std::string> arguments = currentArguments();
  if (arguments.empty() || arguments == part->arguments) {
    return;
  }
  part->arguments = std::move(arguments);
  std::vector<const char*> texts;
  for (const std::string& argument : part->arguments) {
    texts.push_back(argument.c_str());
  }
  part->host.arguments_changed(texts.data(), texts.size());
}

/// Replaces torch.distributed's C function _register_process_group, which every new group goes through. The Python
/// function that makes groups cannot be hooked: Python 3.11 inlines such calls and bypasses its vectorcall.
PyObject* registerGroup(PyObject*, PyObject* arguments, PyObject* names) {
  PyObject* result = PyObject_Call(part->register_group, arguments, names);
  if (result != nullptr && PyTuple_GET_SIZE(arguments) > 0 && PyUnicode_Check(PyTuple_GET_ITEM(arguments, 0))) {
    const ErrorGuard keep_errors;
    try {
      tellArguments();
      part->host.group_made(textOf(PyTuple_GET_ITEM(arguments, 0)).c_str());
    } catch (const std::exception&) { // out of memory: the group is known from its first collective
      part->host.log_debug("the name of a process group could not be read");
    }
    watchFsdp1IfImported();
  }
  return result;
}

/// Reports to the tracker the entry of a record_function object, whose `name` is the label.
void tellLabel(PyObject* label) {
  static PyObject* const attribute_name = PyUnicode_InternFromString(torch_names::kLabelText);
  const ErrorGuard keep_errors;
  const PyRef name(PyObject_GetAttr(label, attribute_name));
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (text != nullptr) {
    part->host.open_label(text, label);
  }
}

/// Replaces record_function.__enter__ of torch.autograd.profiler.
PyObject* enterLabel(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  if (PyVectorcall_NARGS(flags) > 0) {
    tellLabel(arguments[0]);
  }
  return part->label_enter.own()(function, arguments, flags, names);
}

PyObject* exitLabel(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  PyObject* result = part->label_exit.own()(function, arguments, flags, names);
  if (PyVectorcall_NARGS(flags) > 0) {
    part->host.close_label(arguments[0]);
  }
  return result;
}

void watchLabels(PyObject* module) {
  const PyRef type = attribute(module, torch_names::kLabelClass);
  const PyRef enter = type ? attribute(type.get(), "__enter__") : PyRef();
  const PyRef exit = type ? attribute(type.get(), "__exit__") : PyRef();
  if (!part->label_enter.install(enter.get(), enterLabel) || !part->label_exit.install(exit.get(), exitLabel)) {
    part->label_enter.setEnabled(false);
    part->host.labels_missing();
  }
}

void watchModules(PyObject* module) {
  const PyRef type = attribute(module, torch_names::kModuleClass);
  const PyRef call = type ? attribute(type.get(), torch_names::kCallModule) : PyRef();
  if (part->module_call.install(call.get(), reinterpret_cast<vectorcallfunc>(part->host.call_module))) {
    setOriginalCall(part->module_call.own());
  } else {
    part->host.hook_missing("torch.nn.Module._call_impl is not a plain Python function");
  }
}

uint32_t addUnfinished(PyObject* module, PyObject* wrapped) noexcept {
  try {
    return part->tree.addUnfinished(module, wrapped);
  } catch (const std::exception&) { // out of memory: its set-up belongs to Global
    return ModuleMap::kTransparent;
  }
}

/// Returns the first argument after self, `module` by name, borrowed; nullptr if there is none.
PyObject* wrappedArgument(PyObject* const* arguments, size_t flags, PyObject* names) {
  const Py_ssize_t positional = PyVectorcall_NARGS(flags);
  if (positional > 1) {
    return arguments[1];
  }
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), torch_names::kWrappedArgument) == 0) {
      return arguments[positional + i];
    }
  }
  return nullptr;
}

/// Runs the constructor of a wrapper, `__init__(self, module, ...)`, that communicates while it is made. C code calls a
/// constructor, so it is through the vectorcall.
template <CallHook Part::*kHook>
PyObject* construct(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  const vectorcallfunc own = (part->*kHook).own();
  PyObject* wrapped = PyVectorcall_NARGS(flags) == 0 ? nullptr : wrappedArgument(arguments, flags, names);
  const uint32_t id = wrapped == nullptr ? ModuleMap::kTransparent : addUnfinished(arguments[0], wrapped);
  if (id == ModuleMap::kTransparent) {
    return own(function, arguments, flags, names);
  }
  const uint32_t depth = part->host.begin_set_up(id);
  PyObject* result = own(function, arguments, flags, names);
  part->host.end_set_up(depth);
  return result;
}

template <CallHook Part::*kHook>
void watchConstructor(PyObject* module, const char* class_name) {
  const ErrorGuard keep_errors;
  const PyRef type = attribute(module, class_name);
  const PyRef constructor = type ? attribute(type.get(), "__init__") : PyRef();
  (part->*kHook).install(constructor.get(), construct<kHook>); // else its collectives belong to Global
}

void watchDdp(PyObject* module) {
  watchConstructor<&Part::ddp_constructor>(module, torch_names::kDistributedDataParallel);
}

/// Runs the constructor of a DeviceMesh, `__init__(self, ...)`, which makes or finds the group of each dimension.
PyObject* constructMesh(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  PyObject* result = part->mesh_constructor.own()(function, arguments, flags, names);
  if (result != nullptr && PyVectorcall_NARGS(flags) > 0) {
    const ErrorGuard keep_errors;
    const DynamoPause pause;
    try {
      forEachMeshGroup(arguments[0], part->host.group_is_dimension);
    } catch (const std::exception&) { // out of memory: the groups have no dimension
      part->host.log_debug("the groups of a DeviceMesh could not be read");
    }
  }
  return result;
}

void watchMeshes(PyObject* module) {
  const PyRef type = attribute(module, torch_names::kMeshClass);
  const PyRef constructor = type ? attribute(type.get(), "__init__") : PyRef();
  part->mesh_constructor.install(constructor.get(), constructMesh); // else no group has a dimension
}

/// FSDP1 is imported by few jobs, and a finder that waits for it would stay in sys.meta_path. A job imports it before
/// it makes its groups, or before it calls a module.
void watchFsdp1IfImported() {
  if (part->fsdp1_constructor.own() == nullptr) {
    const ErrorGuard keep_errors;
    const DynamoPause pause;
    PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), torch_names::kFsdp1File);
    if (module != nullptr) {
      watchConstructor<&Part::fsdp1_constructor>(module, torch_names::kFullyShardedDataParallel);
    }
  }
}

// Without this hook a group is known from its first collective.
void watchGroups(PyObject* module) {
  static PyMethodDef method = {
      torch_names::kRegisterGroup,
      reinterpret_cast<PyCFunction>(
          reinterpret_cast<void (*)()>(registerGroup)), // METH_KEYWORDS passes a third parameter
      METH_VARARGS | METH_KEYWORDS,
      nullptr};
  PyRef original = attribute(module, torch_names::kRegisterGroup);
  const PyRef ours(PyCFunction_New(&method, nullptr));
  if (original && ours) {
    part->register_group = Py_NewRef(original.get());
    PyObject_SetAttrString(module, torch_names::kRegisterGroup, ours.get());
  }
}

int start(const CommtapHost* host) {
  if (part != nullptr) {
    return 0;
  }
  const Gil gil;
  part = new Part(*host);
  part->arguments = currentArguments();
  startRunningWork();
  startTorchFunctions();
  startCompiledSites();
  const bool ok = afterImport({
      {torch_names::kModuleFile, watchModules},
      {torch_names::kLabelFile, watchLabels},
      {torch_names::kGroupsFile, watchGroups},
      {torch_names::kMeshFile, watchMeshes},
      {torch_names::kDdpFile, watchDdp},
  });
  if (!ok) {
    host->hook_missing("sys.meta_path is not a list");
  }
  return ok ? 0 : 1;
}

void setEnabled(int enabled) {
  const Gil gil;
  part->module_call.setEnabled(enabled != 0);
  part->label_enter.setEnabled(enabled != 0);
  part->label_exit.setEnabled(enabled != 0);
  part->ddp_constructor.setEnabled(enabled != 0);
  part->fsdp1_constructor.setEnabled(enabled != 0);
  part->mesh_constructor.setEnabled(enabled != 0);
  setDynamoWatched(enabled != 0);
  setInductorWatched(enabled != 0);
}

} // namespace
} // namespace commtap

extern "C" COMMTAP_EXPORT const CommtapPython commtap_python;
const CommtapPython commtap_python = {
    .abi = COMMTAP_PYTHON_ABI,
    .python_minor = PY_MINOR_VERSION,
    .start = commtap::start,
    .set_enabled = commtap::setEnabled,
    .observe = commtap::observe,
    .module_id = commtap::moduleId,
    .tensor_class = commtap::tensorClass,
    .modules_in_frames = commtap::idsInFrames,
    .running_torch_function = commtap::runningTorchFunction,
    .may_run_work = commtap::mayRunWork,
    .runs_in_engine = commtap::runsInEngine,
    .running_work = commtap::workRunning,
    .tensors_in = commtap::tensorsInObjects,
    .trained_parameter = commtap::trainedParameterOf,
    .find_site = commtap::siteRunning,
    .read_call = commtap::factsOfCall,
    .module_at = commtap::moduleAt,
    .forward_node = commtap::nodeOfForward,
    .sample_step = commtap::sampleStepRunning,
    .step_gradients = commtap::gradientsOfStep,
    .ddp_buffers = commtap::buffersOfDdp,
    .new_groups_ranks = commtap::newGroupsRanks,
    .watch_compiler = commtap::watchCompiler,
};
