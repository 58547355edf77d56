// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/object_table.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// Replaces torch.nn.Module._call_impl. Part of the tracker and not of its Python part, so that a module call passes
/// one function of commtap. The caller of every method holds the GIL.
class ModuleHook {
 public:
  /// The Python part's module_id.
  using IdOf = long (*)(void* module);

  static void start(IdOf id_of) {
    id_of_ = id_of;
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
  /// Returns the module's id; kCommtapNoModule if its calls are attributed to its caller.
  static uint32_t idOf(void* object);

  static constinit ObjectTable modules_;
  static constinit CommtapVectorcall original_;
  static constinit IdOf id_of_;
};

} // namespace commtap
