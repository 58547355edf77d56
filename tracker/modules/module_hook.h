// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/object_table.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// What Python calls in place of torch.nn.Module._call_impl. Here and not in the Python part, so that a module call is
/// one function of ours. All of it with the GIL held.
class ModuleHook {
 public:
  /// The Python part's module_id.
  using IdOf = long (*)(void* module);

  static void start(IdOf id_of) {
    id_of_ = id_of;
  }
  /// What call() must end by calling.
  static void setOriginal(CommtapVectorcall original) {
    original_ = original;
  }
  static void* call(void* function, void* const* arguments, size_t flags, void* names);

  static ObjectTable& modules() {
    return modules_;
  }

 private:
  [[gnu::cold]] static void*
  callUnusual(void* function, void* const* arguments, size_t flags, void* names, uint32_t id, uint32_t next_id);

  static constinit ObjectTable modules_;
  static constinit CommtapVectorcall original_;
  static constinit IdOf id_of_;
};

} // namespace commtap
