// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/object_table.h"
#include "tracker/core/python_host.h"

namespace commtap {

class ThreadState;

/// Replaces torch.nn.Module._call_impl. Part of the tracker and not of its Python part, so that a module call passes
/// one function of commtap. The caller of every method holds the GIL.
class ModuleHook {
 public:
  /// Functions of the Python part, named as in CommtapPython. A null one is not called, except module_id.
  struct Functions {
    long (*module_id)(void* module, void* argument) = nullptr;
    size_t (*tensors_in)(void* const* objects, size_t count, void* names, void** tensors, size_t capacity) = nullptr;
    void* (*trained_parameter)(void* module) = nullptr;
  };

  static void start(const Functions& functions) {
    functions_ = functions;
  }
  /// Sets the function that call() passes each call on to.
  static void setOriginal(CommtapVectorcall original) {
    original_ = original;
  }
  /// A vectorcallfunc: counts the call, then passes it on.
  static void* call(void* function, void* const* arguments, size_t flags, void* names);

  static ObjectTable& modules() {
    return modules_;
  }

 private:
  /// Returns the id of the module that a call begins with; kCommtapNoModule if its calls are attributed to its caller.
  static uint32_t idOf(void* const* arguments, size_t count);
  struct Call {
    void* const* arguments; ///< the module first
    size_t count;           ///< positional ones
    void* names;            ///< of the keyword arguments
  };
  /// Hands the tensors of a forward's outermost call to the sample of the next step.
  static void sampleInputs(const Call& call);
  /// Notes the tensors of an outermost call, which may be those that a pipeline's stage receives and sends.
  static void noteTensors(ThreadState& thread, uint32_t module, const Call& call, void* result);

  static constinit ObjectTable modules_;
  static constinit CommtapVectorcall original_;
  static constinit Functions functions_;
};

} // namespace commtap
