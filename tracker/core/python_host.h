// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interface between the tracker and its Python part. It uses plain C types, so that the Python part needs neither
// torch nor the tracker's C++. There is one build of the Python part per Python minor version.

#include <cstddef>
#include <cstdint>

#include "tracker/torch/ddp_work.h"

extern "C" {

#define COMMTAP_PYTHON_ABI 23U
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
  kCommtapTracedTensor, ///< fake or functional: a compiler traces the op, nothing is computed
};

/// The objects of a library's running Python code, as local variables of its frames. tracker/python/running_work.cc
/// lists the functions and variables.
enum CommtapInFrames : uint8_t {
  kCommtapRunningUnit,      ///< the modules of the FSDP2 unit whose method runs
  kCommtapPrefetchingUnit,  ///< the modules of the FSDP2 unit whose method calls the running one
  kCommtapReducedParameter, ///< the module whose parameter's gradient FSDP2 redistributes
  kCommtapPipelineStage,    ///< the module of a stage of the pipeline schedule that runs
  kCommtapRunningForwards,  ///< the known modules whose method `forward` runs, innermost first
  kCommtapStepClosure,      ///< the closure of the optimizer's step that runs, which is no module
};

/// torch's own Python code that communicates outside of modules, or calls modules for no training.
struct CommtapTorchFunction {
  const char* label;      ///< such as "clip_grad_norm_", of the outermost function that is known; null if none runs
  CommtapDdpWork for_ddp; ///< of the innermost one that works for a DDP module
  bool infers_shapes;     ///< a pipeline's stage is called to learn what it gives
};

/// What Python does outside every module call, by the names of the running functions.
enum CommtapWork : uint8_t {
  kCommtapNoWork,                   ///< no function that runs has the name of such work
  kCommtapSetUp,                    ///< the constructor of a module that wraps another, or a method that completes it
  kCommtapBackward,                 ///< a module's method for its gradients, outside of autograd's engine
  kCommtapOptimizerStep,            ///< the method `step` of an optimizer, whichever class it is of
  kCommtapOptimizerStepWithClosure, ///< such a step that was given a closure
  kCommtapOtherWork,                ///< methods with such names run, but they are others
};

/// A call in a compiled graph's Python code. Both are addresses that the Python part gives and takes: the code object,
/// and the call in it. An interpreter's call is null: it calls all nodes of a graph.
struct CommtapGraphCall {
  const void* code;
  const void* instruction;
  bool operator==(const CommtapGraphCall&) const = default;
};

/// The most regions of a graph, one inside the other, that a site is known in.
inline constexpr int kCommtapMostRegions = 4;

/// The place in a compiled graph's Python code that calls a collective.
struct CommtapSite {
  CommtapGraphCall collective;
  /// The calls of the graph's regions, each compiled once for several calls, that led to the collective, innermost
  /// first. Ends with the first that has no code.
  CommtapGraphCall regions[kCommtapMostRegions];
  bool operator==(const CommtapSite&) const = default;
};

/// Receives a text of the Python part.
using CommtapTakeText = void (*)(void* data, const char* text);

/// Receives a parameter and its gradient, both TensorImpls that live during the call.
using CommtapTakeGradient = void (*)(void* data, void* parameter, void* gradient);

using CommtapTakeRank = void (*)(void* data, int64_t rank);

/// The ranks that a process group is to have.
enum CommtapGroupRanks : uint8_t {
  kCommtapUnknownRanks,
  kCommtapAllRanks,
  kCommtapNamedRanks,
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

/// A parameter at the start of an optimizer's step. Texts and tensors live during the call only. JSON lists are "" if
/// there is none. An attribute that the parameter may not have is 1, 0, or -1 for none.
struct CommtapSampledParameter {
  const char* name;
  const char* shape;               ///< JSON array text
  const char* local_shape;         ///< JSON array text
  const char* dtype;               ///< "float32"
  const char* mesh;                ///< a DTensor's: JSON object text with dim_names, shape and ranks
  const char* placements;          ///< a DTensor's: JSON list
  const char* coordinate;          ///< a DTensor's: JSON list
  const char* ddp_ranks;           ///< JSON list: the ranks of the DistributedDataParallel that has it
  const char* gradient_placements; ///< JSON list, if the gradient is a DTensor
  const char* flat_shape;          ///< JSON list: the shape of an original parameter of FSDP1, where its part is known
  long flat_start;                 ///< the index of the part's first element in it
  void* value;                     ///< TensorImpl; a DTensor's is its local tensor's
  void* gradient;                  ///< TensorImpl; null if there is no gradient
  int is_in_optimizer;
  int is_buffer;      ///< of a module, which its checkpoints have
  int has_model_name; ///< 0: the name is a place in an optimizer
  int requires_grad;
  int is_fsdp1_flat;         ///< an FSDP1 unit's flat parameter, or a part of it (use_orig_params)
  int is_gradient_partial;   ///< a DTensor's gradient that is yet to be summed
  int tensor_model_parallel; ///< Megatron's attributes, or -1
  int sequence_parallel;
  int allreduce;
};

/// The tracker's functions for one step of an optimizer, called in this order, the last two for each parameter.
struct CommtapStepSampler {
  void* data; ///< what the functions receive first
  /// Notes the optimizer, numbered in the order of their first steps, and its step, from 1. Returns nonzero if its
  /// parameters are to follow.
  int (*begins)(void* data, uint32_t optimizer, uint64_t step);
  void (*counted)(void* data, size_t parameters); ///< how many there are
  /// Returns nonzero if the parameter of this name is to follow. Reading the facts of all takes as long as a sample.
  int (*wants)(void* data, const char* name);
  void (*take)(void* data, const CommtapSampledParameter* parameter);
};

/// Ids that no module has: kCommtapUnknownModule for an object never seen, kCommtapNoModule for an object whose calls
/// are attributed to its caller.
inline constexpr uint32_t kCommtapUnknownModule = 0xffffffffU;
inline constexpr uint32_t kCommtapNoModule = 0xfffffffeU;

/// A module seen for the first time.
struct CommtapModuleFacts {
  uint32_t parent; ///< 0 for a root
  const char* component;
  const char* class_name; ///< the user's class, after those by which libraries swapped it: "FSDPModule/Net"
  const char* clean;      ///< the component in clean names before it is made unique; "" if it is the same
  uint32_t wrapped;       ///< id of the innermost module that it wraps; kCommtapUnknownModule for none
  uint8_t role;
  int wrapper; ///< nonzero: only raw names have the component
};

/// CPython's vectorcallfunc. The tracker treats Python objects as plain addresses.
using CommtapVectorcall = void* (*)(void* function, void* const* arguments, size_t flags, void* names);

using CommtapTakeBuffer = void (*)(void* data, uint32_t ddp, void* tensor, const char* name);

/// The tracker's functions for its Python part. They never throw and never touch Python, except call_module.
struct CommtapHost {
  /// Adds a module and returns its id; the parent's id if the table is full.
  uint32_t (*add_module)(const CommtapModuleFacts* facts);
  void (*reparent_module)(uint32_t module, uint32_t parent, const char* component, int wrapper);
  void (*module_died)(uint32_t module);
  /// Returns nonzero once per module: the caller must then add the module's parameters.
  int (*wants_parameters)(uint32_t module);
  void (*add_parameter)(uint32_t module, const CommtapParameterFacts* facts);
  /// Makes `module` the owner of `tensor`'s gradient and memory. `tensor` is a TensorImpl (Tensor._cdata).
  void (*own_tensor)(uint32_t module, void* tensor);
  uint32_t (*current_module)();
  /// Hands a module's name in clean names to `take`, such as "Net.layers.0".
  void (*module_name)(uint32_t module, CommtapTakeText take, void* data);
  /// Note that the constructor of `module`, which communicates, begins or ends on this thread. begin_set_up returns
  /// what to pass to end_set_up.
  uint32_t (*begin_set_up)(uint32_t module);
  void (*end_set_up)(uint32_t depth);
  /// Look up and set an object's id, which may be kCommtapNoModule. set_module returns 0 if there is no memory.
  uint32_t (*find_module)(const void* object);
  int (*set_module)(const void* object, uint32_t module);
  /// Removes the object and returns its id.
  uint32_t (*forget_module)(const void* object);
  /// Replaces torch.nn.Module._call_impl: counts the call, then calls the function last set by set_original_call.
  /// Calls module_id for an unknown module.
  CommtapVectorcall call_module;
  void (*set_original_call)(CommtapVectorcall original);
  /// Note that a `with record_function(label)` block begins or ends. `object` is the record_function.
  void (*open_label)(const char* label, const void* object);
  void (*close_label)(const void* object);
  /// Notes that labels cannot be hooked in Python: the tracker then receives them from torch.
  void (*labels_missing)();
  /// Notes that sys.argv has changed since the start or the last call.
  void (*arguments_changed)(const char* const* arguments, size_t count);
  /// Notes that torch.distributed made a process group of this name.
  void (*group_made)(const char* name);
  /// Notes that a DeviceMesh's dimension of this name uses the process group `group`.
  void (*group_is_dimension)(const char* group, const char* dimension);
  /// Between these two calls, reading a tensor's attributes does not run the job's __torch_function__.
  void* (*begin_plain_tensors)();
  void (*end_plain_tensors)(void* token);
  /// Notes that the job has code that a compiler made.
  void (*compiled_code_found)();
  /// Notes where the collectives of a file that Inductor generates come from. `folder` is Inductor's cache, `key` the
  /// file's name in it, and `lines` the text that GraphLines reads.
  void (*graph_generated)(const char* folder, const char* key, const char* lines);
  /// Returns nonzero if nothing is known of a generated file's collectives, from this process or an earlier one.
  int (*wants_graph)(const char* path);
  /// As graph_generated(), for a file that was loaded from the cache.
  void (*graph_loaded)(const char* path, const char* lines);
  void (*not_seen_module)(const char* what); ///< facts of a module or parameter could not be read
  void (*hook_missing)(const char* why);     ///< module calls cannot be hooked
  void (*log_debug)(const char* message);
};

/// The Python part's functions for the tracker. The caller holds the GIL.
struct CommtapPython {
  uint32_t abi;
  int python_minor;
  /// Returns 0 on success.
  int (*start)(const CommtapHost* host);
  /// Removes the hook (0) or installs it again (1).
  void (*set_enabled)(int enabled);
  /// Sets two callables, or removes them if both are null. Every module call runs before(module, args, kwargs or None)
  /// and after(module, args, kwargs or None, result). The result is None if the call raises. An exception from a
  /// callable propagates to the module's caller. Returns 0 on success.
  int (*observe)(void* before, void* after);
  /// Returns a module object's id, after adding the module if it was never called; negative if it has no id.
  /// `argument`: the first argument of the call that begins; null for none.
  long (*module_id)(void* module, void* argument);
  /// Returns the class of a live tensor's Python object. Needs no GIL: it only reads the object's type.
  CommtapTensorClass (*tensor_class)(void* tensor);
  /// Stores the ids of the modules that Python's frames name, at most `capacity`, and returns their number. `number` is
  /// the stage that a pipeline's label says. Takes the GIL.
  size_t (*modules_in_frames)(CommtapInFrames what, uint32_t number, uint32_t* modules, size_t capacity);
  /// Returns what torch's own Python code on this thread does outside of modules. Needs no GIL: it only reads the
  /// thread's frames.
  CommtapTorchFunction (*running_torch_function)();
  /// Returns nonzero if a method with the name of a CommtapWork runs on this thread. In a backward, looks only at what
  /// the engine has called. Needs no GIL, as above.
  int (*may_run_work)();
  /// Returns nonzero if a Python function that autograd's engine has called runs on this thread, in a backward. Needs
  /// no GIL, as above.
  int (*runs_in_engine)();
  /// Returns the innermost work of the Python code on this thread, and sets the module that it is for, if it is for
  /// one. Takes the GIL, so that it is called only after may_run_work.
  CommtapWork (*running_work)(uint32_t* module);
  /// Stores the TensorImpls of the tensors in `count` objects and those in the arguments after them that the tuple
  /// `names` names, which may be null. Looks into containers; a DTensor's is its local tensor's. Returns the number
  /// stored, at most `capacity`. The caller holds the GIL.
  size_t (*tensors_in)(void* const* objects, size_t count, void* names, void** tensors, size_t capacity);
  /// Returns the TensorImpl of the first parameter of a module, or of those below it, that requires a gradient; nullptr
  /// if none is found. The caller holds the GIL.
  void* (*trained_parameter)(void* module);
  /// Finds the innermost code of a compiled graph among the `most` innermost functions of this thread. Returns 0 if
  /// there is none. Needs no GIL: it only reads the thread's frames.
  int (*find_site)(int most, CommtapSite* site);
  /// Reads where a call that is running on this thread comes from, and keeps its code object for ever, so that its
  /// addresses are not used again. In a file that Inductor generated, sets `line` and hands the file's path to `take`;
  /// in an FX graph, sets `line` to 0 and hands it the place that GraphLines reads. Returns 0 if it cannot be read.
  /// Takes the GIL.
  int (*read_call)(const CommtapGraphCall* call, uint32_t* line, CommtapTakeText take, void* data);
  /// Returns the id of the module that Dynamo calls `source`, such as "L['model'].layers.0", in the function that
  /// runs the compiled graph of `site`; kCommtapUnknownModule if there is none. Takes the GIL.
  uint32_t (*module_at)(const CommtapSite* site, const char* source);
  /// Returns the sequence number of the autograd node whose forward runs the compiled graph of `site`; negative if
  /// there is none. Takes the GIL.
  int64_t (*forward_node)(const CommtapSite* site);
  /// Hands the parameters of the optimizer whose step begins on this thread to `sampler`, and those of the known
  /// modules that no optimizer has. Takes the GIL, and runs no code of the job.
  void (*sample_step)(const CommtapStepSampler* sampler);
  /// Hands the gradients of the optimizer whose step runs on this thread to `take`, except DTensors: torch's functions
  /// communicate for these. Takes the GIL, and runs no code of the job.
  void (*step_gradients)(CommtapTakeGradient take, void* data);
  /// Hands the TensorImpls of the buffers that a DDP module broadcasts to `take`, with their names below the wrapped
  /// module. Takes the GIL.
  void (*ddp_buffers)(uint32_t ddp, CommtapTakeBuffer take, void* data);
  /// Hands the ranks in the arguments of new_group to `take`, while torch measures this thread's call of it. The caller
  /// holds the GIL.
  CommtapGroupRanks (*new_groups_ranks)(CommtapTakeRank take, void* data);
  /// Receives the graphs that Dynamo and Inductor compile from now on, if they are loaded. Returns 0 if Inductor is
  /// not. Takes the GIL.
  int (*watch_compiler)();
};

} // extern "C"
