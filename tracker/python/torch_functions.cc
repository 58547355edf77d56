// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/torch_functions.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/torch/function_names.h"

namespace commtap {
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
      running.label = known.label;
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
  CommtapTorchFunction running{nullptr, kCommtapNotForDdp};
  commtap_visit_codes(kMostFunctions, noteTorchFunction, &running);
  return running;
}

} // namespace commtap
