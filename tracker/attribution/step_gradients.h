// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include "tracker/core/python_host.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// The modules of the gradients that an optimizer's step uses, by their memory. An optimizer that communicates sends
/// `p.grad`, whose memory is new in every step.
///
/// Read from Python's frames when a step of a torch optimizer first sends memory of no parameter, and kept until the
/// step ends. Keeps no gradient alive, but the address of its storage object, so that no other storage gets it. One
/// thread uses an object.
class StepGradients {
 public:
  using Read = decltype(CommtapPython::step_gradients);

  /// Sets the Python part's function of this name. A process without Python has none.
  static void setFunction(Read read);
  /// Returns the gradients of the step that runs on this thread. Takes the GIL if they are not read yet, as for each
  /// call in the step of an optimizer that is not torch's, whose end is not seen.
  static const StepGradients& inStep(ThreadState& thread);

  /// Adds a gradient. `module` is nullopt if the parameter's is not known.
  void add(const c10::TensorImpl& gradient, std::optional<uint32_t> module);
  /// Returns the module of the gradients that `tensor` is, is a part of or consists of: their nearest common ancestor.
  /// Returns nullopt if one of them has no known module.
  std::optional<uint32_t> find(const at::Tensor& tensor) const;

 private:
  /// A gradient in a storage, in bytes.
  struct Part {
    int64_t begin;
    int64_t end;
    std::optional<uint32_t> module;
  };
  static Part partOf(const c10::TensorImpl& tensor, std::optional<uint32_t> module);

  std::unordered_map<const c10::StorageImpl*, std::vector<Part>> parts_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> storages_; ///< the keys of parts_
};

} // namespace commtap
