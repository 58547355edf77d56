// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/running_work.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

/// A function to look for. A code object's name is interned, so its address is enough.
struct Function {
  PyObject* name;
  CommtapWork what;
};

struct Names {
  const Function functions[6] = {
      {PyUnicode_InternFromString(torch_names::kStep), kCommtapOptimizerStep},
      {PyUnicode_InternFromString(torch_names::kEnginesBackward), kCommtapBackward},
      {PyUnicode_InternFromString(torch_names::kReduceGradients), kCommtapBackward},
      {PyUnicode_InternFromString(torch_names::kFinishGradients), kCommtapBackward},
      {PyUnicode_InternFromString(torch_names::kBroadcastParameters), kCommtapSetUp},
      {PyUnicode_InternFromString(torch_names::kConstructor), kCommtapSetUp},
  };
  PyObject* self = PyUnicode_InternFromString(torch_names::kSelf);
  PyObject* param_groups = PyUnicode_InternFromString(torch_names::kParameterGroups);
  /// The caller of this is not the engine's work.
  PyObject* run_backward = PyUnicode_InternFromString(torch_names::kRunBackward);

  CommtapWork workOf(PyObject* name) const {
    for (const Function& function : functions) {
      if (function.name == name) {
        return function.what;
      }
    }
    return kCommtapNoWork;
  }
};

constexpr int kMostFrames = 100;

Names& names() {
  static Names all;
  return all;
}

PyRef localOf(const PyRef& frame, const char* name) {
  return PyRef(frame ? commtap_local(reinterpret_cast<PyFrameObject*>(frame.get()), name) : nullptr);
}

/// Returns whether an object has `param_groups`, as an attribute or as a property, which is not evaluated.
bool hasParameterGroups(PyObject* object) {
  if (_PyType_Lookup(Py_TYPE(object), names().param_groups) != nullptr) {
    return true;
  }
  PyObject* dict = dictOf(object);
  return dict != nullptr && PyDict_Check(dict) && PyDict_Contains(dict, names().param_groups) == 1;
}

RunningWork stepOf(const PyRef& frame, PyRef self) {
  if (isModule(self.get()) || !hasParameterGroups(self.get())) {
    return {};
  }
  const PyRef closure = localOf(frame, torch_names::kClosure);
  const bool has_closure = closure && closure.get() != Py_None;
  return {has_closure ? kCommtapOptimizerStepWithClosure : kCommtapOptimizerStep, {}, std::move(self)};
}

/// Returns the work of a frame whose function's name says `what`, if its object bears that out.
RunningWork workOf(const PyRef& frame, CommtapWork what) {
  PyRef self = localOf(frame, torch_names::kSelf);
  if (!self) {
    return {};
  }
  if (what == kCommtapOptimizerStep) {
    return stepOf(frame, std::move(self));
  }
  // The constructor of a part of a model shows nothing: the part's place in the model is not known yet.
  const bool fits = isModule(self.get()) && (what == kCommtapBackward || directlyWrappedBy(self.get()) != nullptr);
  return fits ? RunningWork{what, std::move(self), {}} : RunningWork();
}

int noteName(const PyCodeObject* code, void* found) {
  if (code->co_name == names().run_backward) {
    return 1;
  }
  const bool is_work = names().workOf(code->co_name) != kCommtapNoWork && commtap_first_variable(code) == names().self;
  *static_cast<bool*>(found) = is_work;
  return is_work ? 1 : 0;
}

} // namespace

void startRunningWork() {
  names();
}

int mayRunWork() {
  bool found = false;
  commtap_visit_codes(kMostFrames, noteName, &found);
  return found ? 1 : 0;
}

int runsInEngine() {
  bool found = false;
  const auto note = [](const PyCodeObject* code, void* runs) {
    *static_cast<bool*>(runs) = code->co_name != names().run_backward;
    return 1;
  };
  commtap_visit_codes(1, note, &found);
  return found ? 1 : 0;
}

RunningWork runningWork() {
  const ErrorGuard keep_errors;
  PyRef frame = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int depth = 0; depth < kMostFrames && frame; ++depth) {
    const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(frame.get()))));
    PyObject* name = reinterpret_cast<PyCodeObject*>(code.get())->co_name;
    if (name == names().run_backward) {
      break;
    }
    if (const CommtapWork what = names().workOf(name); what != kCommtapNoWork) {
      if (RunningWork work = workOf(frame, what); work.what != kCommtapOtherWork) {
        return work;
      }
    }
    frame = compat::callerOf(frame.get());
  }
  return {};
}

namespace {

/// Returns the object that `path` leads to: "modules" of a parameter group, "_module_info.module" of a parameter.
PyRef follow(PyRef object, std::string_view path) {
  while (object && !path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    object = attribute(object.get(), name.c_str());
  }
  return object;
}

std::vector<PyRef> itemsOf(const PyRef& sequence) {
  std::vector<PyRef> items;
  if (sequence && PyTuple_Check(sequence.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence.get()); ++i) {
      items.push_back(PyRef::borrow(PyTuple_GET_ITEM(sequence.get(), i)));
    }
  }
  return items;
}

std::vector<PyRef> only(PyRef object) {
  std::vector<PyRef> items;
  if (object) {
    items.push_back(std::move(object));
  }
  return items;
}

/// Returns the object that a local variable of `frame` leads to.
PyRef follow(const PyRef& frame, const torch_names::Local& local) {
  return follow(localOf(frame, local.variable), local.attributes);
}

constexpr int kNear = 40; ///< frames

bool isCalled(const PyRef& frame, const char* function) {
  const PyRef code = frame ? attribute(frame.get(), "f_code") : PyRef();
  const PyRef name = code ? attribute(code.get(), "co_name") : PyRef();
  return name && PyUnicode_Check(name.get()) && PyUnicode_CompareWithASCIIString(name.get(), function) == 0;
}

/// Returns the nearest frame of a function of this name, among few; empty if there is none.
PyRef frameOf(PyRef frame, const char* function) {
  for (int i = 0; frame && !isCalled(frame, function); ++i) {
    frame = i == kNear ? PyRef() : compat::callerOf(frame.get());
  }
  return frame;
}

/// Returns how many frames there are down to the outermost near one of a function `forward`; 0 if there is none. Makes
/// no objects of them.
int framesToForward() {
  struct Search {
    int visited = 0;
    int found = 0;
  };
  const auto note = [](const PyCodeObject* code, void* data) {
    auto& search = *static_cast<Search*>(data);
    ++search.visited;
    if (PyUnicode_CompareWithASCIIString(code->co_name, torch_names::kForward) == 0) {
      search.found = search.visited;
    }
    return 0;
  };
  Search search;
  commtap_visit_codes(kNear, note, &search);
  return search.found;
}

std::vector<PyRef> runningForwards(PyRef frame) {
  std::vector<PyRef> modules;
  for (int left = framesToForward(); frame && left > 0; --left) {
    PyRef self = isCalled(frame, torch_names::kForward) ? localOf(frame, torch_names::kSelf) : PyRef();
    if (self && isModule(self.get())) {
      modules.push_back(std::move(self));
    }
    frame = compat::callerOf(frame.get());
  }
  return modules;
}

/// Returns a stage's module.
PyRef stageModule(const PyRef& schedule, uint32_t number) {
  if (!isCalled(schedule, torch_names::kRunSchedule)) {
    return {};
  }
  const PyRef stages = localOf(schedule, torch_names::kStagesByNumber);
  if (!stages || !PyDict_Check(stages.get())) {
    return follow(schedule, torch_names::kOnlyStagesModule);
  }
  const PyRef key(PyLong_FromUnsignedLong(number));
  PyRef stage = PyRef::borrow(key ? PyDict_GetItemWithError(stages.get(), key.get()) : nullptr);
  return follow(std::move(stage), torch_names::kStagesModule);
}

/// Returns the argument `closure` of step(self, closure=None).
PyRef closureOf(const PyRef& step) {
  const PyRef arguments = localOf(step, torch_names::kStepArguments);
  const PyRef named = localOf(step, torch_names::kStepNamedArguments);
  PyObject* closure = nullptr;
  if (arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 1) {
    closure = PyTuple_GET_ITEM(arguments.get(), 1);
  } else if (named && PyDict_Check(named.get())) {
    closure = PyDict_GetItemString(named.get(), torch_names::kClosure);
  }
  return closure == Py_None ? PyRef() : PyRef::borrow(closure);
}

} // namespace

std::vector<PyRef> modulesInFrames(CommtapInFrames what, uint32_t number) {
  const ErrorGuard keep_errors;
  PyRef running = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  switch (what) {
    case kCommtapRunningUnit:
      return itemsOf(follow(running, torch_names::kUnitsModules));
    case kCommtapPrefetchingUnit:
      return itemsOf(follow(compat::callerOf(running.get()), torch_names::kPrefetchersModules));
    case kCommtapPipelineStage:
      return only(stageModule(running, number));
    case kCommtapReducedParameter:
      return only(follow(frameOf(std::move(running), torch_names::kReduceParameter), torch_names::kReducedModule));
    case kCommtapRunningForwards:
      return runningForwards(std::move(running));
    case kCommtapStepClosure:
      return only(closureOf(running));
  }
  return {};
}

namespace {

/// The names in the table. A code object's name is interned, so its address is enough: hardly any other function of a
/// job is compared with the table.
class FunctionNames {
 public:
  FunctionNames() {
    for (const torch_names::Function& function : torch_names::kFunctions) {
      insert(PyUnicode_InternFromString(function.name));
    }
  }

  bool has(const PyObject* name) const {
    return names_[slotOf(name)] == name;
  }

 private:
  static constexpr size_t kSlots = 128; ///< a power of two, several times as many as names

  /// Returns the slot of a name; if it is not in the table, the free slot where it would go.
  size_t slotOf(const PyObject* name) const {
    size_t slot = (reinterpret_cast<uintptr_t>(name) >> 4U) % kSlots;
    while (names_[slot] != nullptr && names_[slot] != name) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }
  void insert(const PyObject* name) {
    names_[slotOf(name)] = name;
  }

  std::array<const PyObject*, kSlots> names_{};
};

const FunctionNames& functionNames() {
  static const FunctionNames all;
  return all;
}

int noteTorchFunction(const PyCodeObject* code, void* data) {
  if (!functionNames().has(code->co_name)) {
    return 0;
  }
  for (const torch_names::Function& known : torch_names::kFunctions) {
    if (asciiOf(code->co_name) == known.name && asciiOf(code->co_filename).find(known.file) != std::string_view::npos) {
      auto& running = *static_cast<CommtapTorchFunction*>(data);
      running.label = known.label == nullptr ? running.label : known.label;
      running.infers_shapes |= known.infers_shapes;
      running.for_ddp = running.for_ddp == kCommtapNotForDdp ? known.for_ddp : running.for_ddp;
      break;
    }
  }
  return 0;
}

} // namespace

void startTorchFunctions() {
  functionNames();
}

CommtapTorchFunction runningTorchFunction() {
  constexpr int kMostFunctions = 200;
  CommtapTorchFunction running{nullptr, kCommtapNotForDdp, false};
  commtap_visit_codes(kMostFunctions, noteTorchFunction, &running);
  return running;
}

CommtapGroupRanks newGroupsRanks(CommtapTakeRank take, void* data) {
  const ErrorGuard keep_errors;
  const PyRef frame = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  const PyRef arguments = localOf(frame, torch_names::kTimedArguments);
  const PyRef named = localOf(frame, torch_names::kTimedNamedArguments);
  if (!arguments || !PyTuple_Check(arguments.get()) || !named || !PyDict_Check(named.get())) {
    return kCommtapUnknownRanks;
  }
  PyObject* ranks = PyTuple_GET_SIZE(arguments.get()) > 0
                        ? PyTuple_GET_ITEM(arguments.get(), 0)
                        : PyDict_GetItemString(named.get(), torch_names::kGroupsRanks);
  if (ranks == nullptr || ranks == Py_None) {
    return kCommtapAllRanks;
  }
  if (!PyList_CheckExact(ranks) && !PyTuple_CheckExact(ranks) && !PyRange_Check(ranks)) { // may run the job's code
    return kCommtapUnknownRanks;
  }
  const PyRef list(PySequence_List(ranks));
  for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* rank = PyList_GET_ITEM(list.get(), i);
    if (!PyLong_CheckExact(rank)) {
      return kCommtapUnknownRanks;
    }
    take(data, PyLong_AsLongLong(rank));
  }
  return list ? kCommtapNamedRanks : kCommtapUnknownRanks;
}

} // namespace commtap
