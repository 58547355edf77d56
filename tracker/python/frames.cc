// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/frames.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/frame_names.h"

namespace commtap {
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

PyRef localOf(const PyRef& frame, const char* name) {
  return PyRef(frame ? commtap_local(reinterpret_cast<PyFrameObject*>(frame.get()), name) : nullptr);
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

} // namespace commtap
