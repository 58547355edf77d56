// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tracker and its Python part know of each other: plain C types, so that the Python part needs neither torch
// nor the tracker's C++, and there is one build of it per Python minor only.

#include <cstddef>
#include <cstdint>

extern "C" {

#define COMMTAP_PYTHON_ABI 6U
#define COMMTAP_PYTHON_SYMBOL "commtap_python"

enum CommtapModuleRole : uint8_t {
  kCommtapPlain,
  kCommtapDdp,
  kCommtapFsdp1,
  kCommtapFsdp2,
};

enum CommtapTensorClass : uint8_t {
  kCommtapPlainTensor,
  kCommtapDtensor,
  kCommtapTracedTensor, ///< fake or functional: a compiler looks at the op, nothing is computed
};

struct CommtapParameterFacts {
  const char* name;
  const char* shape;       ///< JSON array text
  const char* local_shape; ///< JSON array text
  const char* dtype;       ///< "float32"
  const char* mesh;        ///< JSON object text, "" for a plain tensor
  const char* placements;  ///< JSON array text, "" for a plain tensor
  int requires_grad;
};

/// No module has these ids: an object that was never seen, and one whose calls are its caller's own.
inline constexpr uint32_t kCommtapUnknownModule = 0xffffffffU;
inline constexpr uint32_t kCommtapNoModule = 0xfffffffeU;

/// CPython's vectorcallfunc. To the tracker, Python's objects are addresses.
using CommtapVectorcall = void* (*)(void* function, void* const* arguments, size_t flags, void* names);

/// The tracker, as its Python part sees it. None of these functions throws or touches Python.
struct CommtapHost {
  /// The id of a module seen for the first time; `parent` 0 for a root.
  uint32_t (*add_module)(uint32_t parent, const char* component, const char* class_name, uint8_t role, int wrapper);
  void (*reparent_module)(uint32_t module, uint32_t parent, const char* component);
  void (*module_died)(uint32_t module);
  /// Nonzero once for each module: its parameters are wanted.
  int (*wants_parameters)(uint32_t module);
  void (*add_parameter)(uint32_t module, const CommtapParameterFacts* facts);
  /// `tensor` is a TensorImpl, as Tensor._cdata gives it: its gradient, and its memory, belong to `module`.
  void (*own_tensor)(uint32_t module, void* tensor);
  uint32_t (*current_module)();
  /// Which object has which id, of which kCommtapNoModule may be one. set_module returns 0 if it cannot be kept.
  uint32_t (*find_module)(const void* object);
  int (*set_module)(const void* object, uint32_t module);
  /// The id that the object had.
  uint32_t (*forget_module)(const void* object);
  /// To be called in place of torch.nn.Module._call_impl: counts the call, and ends by calling what was last handed to
  /// set_original_call. Asks module_id for a module that it does not know.
  CommtapVectorcall call_module;
  void (*set_original_call)(CommtapVectorcall original);
  /// A `with record_function(label)` begins, ends. `object`: the record_function.
  void (*open_label)(const char* label, const void* object);
  void (*close_label)(const void* object);
  /// Labels cannot be watched in Python: torch is to send them.
  void (*labels_missing)();
  /// torch.distributed made a process group of this name.
  void (*group_made)(const char* name);
  /// Between these two, reading a tensor's attributes runs no __torch_function__ of the job's.
  void* (*begin_plain_tensors)();
  void (*end_plain_tensors)(void* token);
  void (*not_seen_module)(const char* what); ///< facts of a module or parameter could not be read
  void (*hook_missing)(const char* why);     ///< module calls cannot be watched
  void (*log_debug)(const char* message);
};

/// The Python part, as the tracker sees it. Called with the GIL held.
struct CommtapPython {
  uint32_t abi;
  int python_minor;
  /// 0 on success.
  int (*start)(const CommtapHost* host);
  /// Takes the hook out (0) or puts it in again (1).
  void (*set_enabled)(int enabled);
  /// Two callables, or two null pointers to take them out: before(module, args, kwargs or None) inside every module
  /// call and after(module, args, kwargs or None, result); the result is None when the call raises. What they raise,
  /// the call raises. 0 on success.
  int (*observe)(void* before, void* after);
  /// The id of a module object, which is given one if it was never called; negative if it has none.
  long (*module_id)(void* module);
  /// What the Python object of a living tensor is. Also without the GIL: it only follows the object's type.
  CommtapTensorClass (*tensor_class)(void* tensor);
};

} // extern "C"
