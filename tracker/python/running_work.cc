// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/running_work.h"

#include <utility>

#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/frame_names.h"

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
  return PyRef(commtap_local(reinterpret_cast<PyFrameObject*>(frame.get()), name));
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

} // namespace commtap
