// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracker/core/object_table.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/python_host.h"
#include "tracker/core/steps.h"
#include "tracker/core/thread_state.h"
#include "tracker/torch/compat.h"

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
  static std::optional<uint64_t> sampleInputs(const Call& call);
  /// Notes the tensors of an outermost call, which may be those that a pipeline's stage receives and sends.
  static void noteTensors(ThreadState& thread, uint32_t module, const Call& call, void* result);

  static constinit ObjectTable modules_;
  static constinit CommtapVectorcall original_;
  static constinit Functions functions_;
};

/// Begins a module call, or a scope that the job names, on this thread. `call` comes from thread.openCall(); pass it to
/// endCall() too.
inline void beginCall(ThreadState& thread, const OpenCall& call, Scope::Type type, uint32_t module) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  const bool in_backward = compat::inBackward();
  if (call.is_outermost && !in_backward) [[unlikely]] {
    Steps::forwardBegins(ledger);
  }
  ledger.countModuleCall(module, in_backward ? Phase::kRecompute : Phase::kForward);
  thread.enterAt(call.depth, {type, in_backward, module});
  thread.timeline.note(compat::nextSequenceNumber(), module);
}

inline void endCall(ThreadState& thread, const OpenCall& call) {
  thread.leave(call.depth);
  thread.timeline.note(compat::nextSequenceNumber(), call.around);
}

/// Enters a scope on this thread: a module `name` below the current one, for code without a torch.nn.Module. Each name
/// below a parent is one module, however often it is entered.
void pushScope(std::string_view name);

/// Leaves the scope that this thread entered last. Returns false if there is none, or if a module call inside it has
/// not returned.
bool popScope();

} // namespace commtap
